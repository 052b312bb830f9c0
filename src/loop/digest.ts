/** A chained fingerprint of everything that enters a prompt, so that two processes can tell that they hold the same model context. */

const offsetBasis = 0xcbf29ce484222325n;
const prime = 0x100000001b3n;
const mask = 0xffffffffffffffffn;

/**
 * Chains `text` onto `previous` with FNV-1a 64 (offset basis and prime as published by its authors),
 * over UTF-16 code units, low byte first. Returns 16 hexadecimal digits.
 * Not a cryptographic hash: it detects a difference between honest processes and protects against nothing else.
 */
export function chainDigest(previous: string, text: string): string {
  let hash = previous === '' ? offsetBasis : BigInt(`0x${previous}`);
  for (let i = 0; i < text.length; i += 1) {
    const unit = text.charCodeAt(i);
    hash = ((hash ^ BigInt(unit & 0xff)) * prime) & mask;
    hash = ((hash ^ BigInt(unit >> 8)) * prime) & mask;
  }
  return hash.toString(16).padStart(16, '0');
}

/**
 * The digest of a transcript before its first own message: of the agent, and of the seed if it has one. A seed goes
 * in by where it lies: the ids of its messages are not known to the run that goes on from it.
 */
export function firstDigest(
  agentHash: string,
  seed: { readonly hash: string; readonly count: number } | undefined,
): string {
  const digest = chainDigest('', agentHash);
  return seed === undefined ? digest : chainDigest(digest, `${seed.hash}/${seed.count}`);
}
