/**
 * The port to the files that an agent works on: its own, or those of an agent above it (decision 40).
 *
 * Keeps WS10, WS16.
 */
import type { ByteRange, FileBody, FileInfo, FilePage, ListOptions, OpenFile, WriteOptions } from './file-store';

/** How a file is written by an agent. */
export interface WorkWriteOptions extends Pick<WriteOptions, 'mediaType' | 'size' | 'ifMatch'> {
  /** Unique in the tree: what is asked again under it, also after a crash, is done once. */
  readonly key?: string;
}

/** How a file is removed by an agent. */
export interface WorkRemoveOptions {
  readonly ifMatch?: string;
  readonly key?: string;
}

/** What was done once: the file as it was written, or nothing of it where it was removed. */
export interface DoneFile {
  readonly file?: FileInfo | undefined;
}

/**
 * The files that an agent works on. As `FileStore` says, whose they are makes no difference; where they are those of
 * another agent, everything may also be refused with `gone` (the task has ended, or the owner is not there any more) and
 * `unavailable` (the owner was not reached).
 */
export interface WorkFiles {
  list(options?: ListOptions): Promise<FilePage>;
  stat(path: string): Promise<FileInfo | undefined>;
  open(path: string, range?: ByteRange): Promise<OpenFile>;
  write(path: string, body: FileBody, options?: WorkWriteOptions): Promise<FileInfo>;
  remove(path: string, options?: WorkRemoveOptions): Promise<void>;
  /** What was done under a key within the last 24 h; undefined where nothing was. */
  done(key: string): Promise<DoneFile | undefined>;
}
