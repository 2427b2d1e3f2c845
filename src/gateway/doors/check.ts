/** Where doors may be. */
import { invalidDefinition } from '../../core/definition/invalid';
import { VERBS } from '../../verbs/table';
import { checkPath, isApiPath } from '../checked-path';
import { type Door, isPathDoor } from './door';

const isAtOrBelow = (path: string, other: string): boolean => path === other || path.startsWith(`${other}/`);

/** Segments behind an address that are the API's. */
const API_SEGMENTS: ReadonlySet<string> = new Set(['sub', ...VERBS.map(({ path }) => path.split('/', 1)[0] ?? '')]);

/** @throws OffshootError `invalid_definition` for a door at no path, or where the API or another door is */
export function checkDoors(doors: readonly Door[], threadsPath: string): void {
  const taken = [threadsPath];
  const behind = new Set<string>(API_SEGMENTS);
  for (const [index, door] of doors.entries()) {
    const which = `doors[${index}]`;
    if (typeof door !== 'object' || door === null)
      invalidDefinition(`createWorker: ${which} is not a door, such as \`webConsole()\`.`);
    if (isPathDoor(door)) {
      const { at } = door;
      checkPath(`createWorker: the path of ${which}`, at);
      if (isApiPath(at) || taken.some((other) => isAtOrBelow(at, other) || isAtOrBelow(other, at)))
        invalidDefinition(`createWorker: other routes are at "${at}", the path of ${which}. Choose another path.`);
      taken.push(at);
    } else {
      if (typeof door.behind !== 'string' || !/^[a-z][a-z0-9-]*$/.test(door.behind))
        invalidDefinition(`createWorker: the segment of ${which} is a word like "chat".`);
      if (behind.has(door.behind))
        invalidDefinition(`createWorker: other routes are at "${door.behind}", the segment of ${which}.`);
      behind.add(door.behind);
    }
  }
}
