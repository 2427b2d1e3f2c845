/**
 * Which URLs may be asked (SPEC AE5). A URL is read as `fetch` reads it, so that hosts in octal, hexadecimal or one number
 * are what they mean. Names are not resolved here: what a public name points to is the platform's to refuse, which lets no
 * Worker into a private network.
 */

/** What is allowed beside public hosts over https. */
export interface UrlRules {
  /** `http:` and `https:` to this machine alone: `localhost`, 127.0.0.0/8, `[::1]`, with any port. */
  readonly allowLoopback: boolean;
}

/** The longest URL that is asked, in characters. */
export const MAX_URL = 2_048;

/** Names that lead to this machine or into its own network. */
const INNER_NAMES = [
  'localhost',
  'local',
  'localdomain',
  'internal',
  'intranet',
  'private',
  'corp',
  'home',
  'lan',
  'home.arpa',
  'svc',
  'consul',
  'onion',
  'i2p',
  'alt',
  'default',
  'cluster',
];

/** IPv4 ranges that are no public hosts, as first address and bits. */
const INNER_V4: readonly (readonly [first: string, bits: number])[] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  // The host of a virtual machine at Azure.
  ['168.63.129.16', 32],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3],
];

/** The same of IPv6, in its first two groups: all outside 2000::/3, and what tunnels or documents within. */
const isInnerV6 = (first: number, second: number): boolean =>
  (first & 0xe000) !== 0x2000 ||
  (first === 0x2001 && (second < 0x200 || second === 0xdb8)) ||
  first === 0x2002 ||
  (first === 0x3fff && second < 0x1000);

/** Why a URL may not be asked, as a sentence without the URL; undefined where it may. */
export function urlProblem(url: URL, { allowLoopback }: UrlRules): string | undefined {
  if (url.href.length > MAX_URL) return `It is longer than ${MAX_URL} characters.`;
  if (url.username !== '' || url.password !== '')
    return 'It contains a user or a password: use a token or headers instead.';
  const host = url.hostname.replace(/\.+$/, '');
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return 'It is neither https nor http.';
  if (allowLoopback && isLoopback(host)) return undefined;
  if (url.protocol !== 'https:') return 'It is not https; http is allowed only for this machine, with `allowLoopback`.';
  if (url.port !== '' && Number(url.port) < 1_024) return 'Its port is below 1024 and is not 443.';
  return isInner(host) ? 'Its host is not public.' : undefined;
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '[::1]' || within(numberOf(host), '127.0.0.0', 8);
}

function isInner(host: string): boolean {
  if (host.startsWith('[')) {
    const [first = 0, second = 0] = groupsOf(host.slice(1, -1));
    return isInnerV6(first, second);
  }
  const number = numberOf(host);
  if (number !== undefined) return INNER_V4.some(([first, bits]) => within(number, first, bits));
  return !host.includes('.') || INNER_NAMES.some((name) => host === name || host.endsWith(`.${name}`));
}

/** A dotted IPv4 address as a number: the only form that a parsed URL has it in. */
function numberOf(host: string): number | undefined {
  if (!/^\d{1,3}(\.\d{1,3}){3}$/.test(host)) return undefined;
  return host.split('.').reduce((sum, part) => sum * 256 + Number(part), 0);
}

function within(number: number | undefined, first: string, bits: number): boolean {
  if (number === undefined) return false;
  const size = 2 ** (32 - bits);
  return Math.floor(number / size) === Math.floor((numberOf(first) ?? 0) / size);
}

/** The groups of an IPv6 address, as a parsed URL writes it: the longest run of zeros is `::`. */
function groupsOf(host: string): number[] {
  const [before = '', after] = host.split('::');
  const read = (text: string): number[] =>
    text === '' ? [] : text.split(':').map((group) => Number.parseInt(group, 16));
  const head = read(before);
  if (after === undefined) return head;
  const tail = read(after);
  return [...head, ...Array<number>(Math.max(0, 8 - head.length - tail.length)).fill(0), ...tail];
}
