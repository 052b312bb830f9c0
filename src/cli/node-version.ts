/** Tells an old Node before it fails in words that nobody understands. */

/** As `engines` in package.json: from this version on Node runs `everloop.config.ts` without a flag. */
const needed = { major: 22, minor: 18 };

/** What is wrong with the version of Node that runs this; undefined when nothing is. */
export function nodeProblem(version: string): string | undefined {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const isEnough = major > needed.major || (major === needed.major && minor >= needed.minor);
  return isEnough
    ? undefined
    : `everloop needs Node ${needed.major}.${needed.minor} or newer; this is ${version}`;
}
