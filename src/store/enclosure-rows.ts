/**
 * Which rows of the table of files are files, and which are contents that are kept for somebody. Those have a path that
 * begins with a slash, as that of no file does.
 *
 * Keeps FS42.
 */
import { and, gte, lt, or, type SQL } from 'drizzle-orm';
import { files } from './schema/files';

const FIRST = '/';
const AFTER_LAST = '0';

/** The path of what is kept under a key. */
export const keptPath = (key: string): string => `${FIRST}${key}`;

/** Whether a row is kept for somebody. */
export const isKept = (): SQL | undefined => and(gte(files.path, FIRST), lt(files.path, AFTER_LAST));

/** Whether a row is a file. */
export const isFile = (): SQL | undefined => or(lt(files.path, FIRST), gte(files.path, AFTER_LAST));
