/** What is advised for a path that is no route: for each kind of mistake its own way out. */
import { expect, it } from 'vitest';
import { adviceForPath } from '../../../src/gateway/agents/route-advice';
import { routeOf } from '../../../src/gateway/route';
import { MAKE_NAME } from '../../../src/protocol/address';

const AT = '/agents/top/x';
const LEAF = `${AT}/sub/leaf/1~1`;
const SLASH = ` A name cannot contain a slash: ${MAKE_NAME}`;
const UNSURE = ` If the name has a slash, replace that: ${MAKE_NAME}`;
const meant = (...paths: string[]): string => ` Did you mean ${paths.map((path) => `/base${path}`).join(' or ')}?`;
const FILES = ' Write %2F for each slash of the path of a file.';

it.each([
  // A route that is nearly written.
  [`${AT}/statsu`, meant(`${AT}/status`)],
  [`${LEAF}/statsu`, meant(`${LEAF}/status`)],
  [`${AT}/mesages/m_1`, meant(`${AT}/messages/m_1`)],
  [`${AT}/mesages/m_1/cancel`, meant(`${AT}/messages/m_1`)],
  // A route with something behind it.
  [`${AT}/status/`, meant(`${AT}/status`)],
  [`${AT}/status/now`, meant(`${AT}/status`)],
  [`${AT}/children/leaf/1~1`, meant(`${AT}/children`)],
  [`${AT}/messages/m_1/cancel`, meant(`${AT}/messages/m_1`)],
  [`${AT}/messages/${'m'.repeat(200)}/cancel`, meant(`${AT}/messages/${'m'.repeat(200)}`)],
  [`${AT}/messages/${'m'.repeat(201)}/cancel`, meant(`${AT}/messages/{path}`)],
  [`${AT}/state/status`, meant(`${AT}/state`)],
  // A route that lacks something.
  [`${AT}/variables`, meant(`${AT}/variables/{path}`)],
  // The path of a file.
  [`${AT}/files/notes/a.md`, FILES],
  [`${LEAF}/files/notes/a.md`, FILES],
  // The end of an address.
  [`${AT}/`, ' Leave out the slash at the end.'],
  [`${AT}//`, ' Leave out the slash at the end.'],
  // A name with a slash.
  [`${AT}/y/status`, SLASH],
  [`${AT}/y/z/start`, SLASH],
  [`${AT}/stats/status`, SLASH],
  [`${AT}/y/messages/m_1`, SLASH],
  [`${LEAF}/y/status`, ' A name cannot contain a slash.'],
  // It may be that, or a route that nobody has.
  [`${AT}/y`, UNSURE],
  [`${AT}/y/z`, UNSURE],
  [`${LEAF}/y`, ''],
])('[A124] %s is no route, and the advice fits the mistake', (path, advice) => {
  const { address, verbs } = routeOf(path);
  expect(verbs.size).toBe(0);
  expect(adviceForPath(address, '/base')).toBe(advice);
});
