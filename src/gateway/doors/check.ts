/** Paths of doors. */
import { invalidDefinition } from '../../core/definition/invalid';
import { checkPath, isApiPath } from '../checked-path';
import type { Door } from './door';

const isAtOrBelow = (path: string, other: string): boolean => path === other || path.startsWith(`${other}/`);

/** @throws OffshootError `invalid_definition` for a door at no path, or where the API or another door is */
export function checkDoors(doors: readonly Door[], threadsPath: string): void {
  const taken = [threadsPath];
  for (const [index, door] of doors.entries()) {
    const { at } = door ?? {};
    checkPath(`createWorker: the path of doors[${index}]`, at);
    if (isApiPath(at) || taken.some((other) => isAtOrBelow(at, other) || isAtOrBelow(other, at)))
      invalidDefinition(`createWorker: other routes are at "${at}", the path of doors[${index}]. Choose another path.`);
    taken.push(at);
  }
}
