/** What one payload may hold. */

/** Bytes of JSON of one argument, message or result. The server takes 2 MiB for a payload; the rest is for what surrounds the value. */
export const maxPayloadBytes = 1_800_000;
