/** How much a run may keep about itself. */

/** Bytes of JSON: hooks are told the metadata again and again, and each time it is recorded. */
export const maxMetadataBytes = 64 * 1024;
