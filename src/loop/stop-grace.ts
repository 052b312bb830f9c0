/** How long a call may go on that was told to stop. */

/** A call that was told to stop has this long to end by itself; a provider or a well-made tool needs less than one. */
export const stopGraceMs = 10_000;
