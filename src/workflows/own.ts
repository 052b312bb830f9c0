/** Holds the place of the Workflows that the owner of a Worker brings: when their code is bundled, their file stands here. */
export {};
