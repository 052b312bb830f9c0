/** The seam under the file tools: a tree of files with one root that cannot be left. */

/** Something in a folder. Links are named, never followed, by whoever walks the tree. */
export interface WorkspaceEntry {
  readonly name: string;
  readonly kind: 'file' | 'folder' | 'link';
}

/** Which bytes of a file: `length` of them from `start`. */
export interface ByteRange {
  readonly start: number;
  readonly length: number;
}

/** The bytes asked for, fewer where the file ends, and the size of the whole file. */
export interface FileSlice {
  readonly bytes: Uint8Array;
  readonly size: number;
}

/**
 * Files under one root. Paths are relative to it with `/` between folders; `''` and `.` are the root.
 *
 * Contract: no path, and no link in the tree, makes a method touch anything outside the root. What a caller
 * can put right rejects with {@link WorkspaceError}, whose message names the path and says what to change.
 */
export interface Workspace {
  /** What is directly in a folder, sorted by code unit of the name. Names that no path can express are left out. */
  list(folder: string): Promise<readonly WorkspaceEntry[]>;
  /** Reads a regular file, or a part of it. */
  read(file: string, range?: ByteRange): Promise<FileSlice>;
  /**
   * Makes or replaces a file, with the folders it needs.
   *
   * Contract: a reader sees the old content or the new, never a mixture; writes to one path happen one after
   * another, as they were called; the permissions of an existing file stay; nothing is ever written into a `.git` folder.
   */
  write(file: string, bytes: Uint8Array): Promise<void>;
}

/** Why a workspace refused. */
export type WorkspaceProblem =
  /** The text is no path inside the root, or a link on the way leaves it. */
  | 'outside'
  | 'not_found'
  /** A file was needed and there is a folder, a device or a pipe. */
  | 'not_a_file'
  /** A folder was needed and there is a file. */
  | 'not_a_folder'
  /** The path is inside, but may not be read or written. */
  | 'not_allowed'
  /** The file system failed. */
  | 'failed';

/** A refusal in words that the model can act on; the message never holds a path of the machine. */
export class WorkspaceError extends Error {
  override readonly name = 'WorkspaceError';
  readonly problem: WorkspaceProblem;
  constructor(problem: WorkspaceProblem, message: string, options: { cause?: unknown } = {}) {
    super(message, options);
    this.problem = problem;
  }
}
