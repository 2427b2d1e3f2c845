/** How numbers, times and statuses are said. */
import type { Usage } from '../../client';
import { usdText } from '../../protocol/usage';

/** 999, 1.2k, 48k, 1.3M. */
export function count(value: number): string {
  if (value < 1_000) return String(value);
  if (value < 10_000) return `${(Math.floor(value / 100) / 10).toFixed(1)}k`;
  if (value < 1_000_000) return `${Math.floor(value / 1_000)}k`;
  return `${(Math.floor(value / 100_000) / 10).toFixed(1)}M`;
}

/** 40ms, 0.4s, 12s, 2:31, 1h 04m, 3d 2h. */
export function span(ms: number): string {
  if (ms < 100) return `${Math.max(0, Math.floor(ms))}ms`;
  const seconds = ms / 1_000;
  if (seconds < 10) return `${(Math.floor(seconds * 10) / 10).toFixed(1)}s`;
  const whole = Math.floor(seconds);
  if (whole < 60) return `${whole}s`;
  const two = (value: number) => String(value).padStart(2, '0');
  if (whole < 3_600) return `${Math.floor(whole / 60)}:${two(whole % 60)}`;
  const hours = Math.floor(whole / 3_600);
  if (hours < 24) return `${hours}h ${two(Math.floor((whole % 3_600) / 60))}m`;
  return `${Math.floor(hours / 24)}d ${hours % 24}h`;
}

/** 999 B, 1.2 KB, 48 KB, 1.3 MB. */
export const bytes = (size: number): string => {
  const [number, unit = ''] = count(size).match(/[\d.]+|\D/gu) ?? [];
  return `${number} ${unit.toUpperCase()}B`;
};

/** Tokens in and out. */
export const tokens = ({ inputTokens, outputTokens }: Usage): number => inputTokens + outputTokens;

/** `$0.31`, `$0.31+` where a part has no known price, `-` where none has. */
export function cost({ costUsd }: Pick<Usage, 'costUsd'>, unpriced: boolean): string {
  if (costUsd === undefined) return '-';
  const text = costUsd > 0 && costUsd < 0.01 ? '<$0.01' : `$${costUsd.toFixed(2)}`;
  return unpriced ? `${text}+` : text;
}

/** `$0.0123`: all that is known of an amount. */
export const exactCost = (costUsd: number): string => `$${usdText(costUsd)}`;

/** A model in words: one that follows a script or rules is no language model. */
export function modelSays({ id, offline }: { readonly id: string; readonly offline: boolean }): string {
  if (!offline) return id;
  return id.endsWith('/scripted')
    ? 'Scripted model: fixed replies, no language model'
    : 'Demo model: rule-based, no API key. Set OFFSHOOT_MODEL to use a real one';
}

/** Which zone a time is said in. */
export type Zone = 'local' | 'utc';

/** Formats are made once: that takes longer than all that is done with them. */
const inZone = (locale: string, options: Intl.DateTimeFormatOptions): Readonly<Record<Zone, Intl.DateTimeFormat>> => ({
  local: new Intl.DateTimeFormat(locale, options),
  utc: new Intl.DateTimeFormat(locale, { ...options, timeZone: 'UTC' }),
});
const TIMES = inZone('en-GB', { timeStyle: 'medium' });
const DAYS = inZone('en-US', { month: 'short', day: 'numeric' });
const WHOLE = new Intl.NumberFormat();

/** A number with all of its digits. */
export const exact = (value: number): string => WHOLE.format(value);

const dayOf = (at: number, zone: Zone): string =>
  zone === 'utc' ? new Date(at).toISOString().slice(0, 10) : new Date(at).toDateString();

/** 14:02:31, with the day when that is not today. */
export function clock(at: number, { now = Date.now(), zone = 'local' }: { now?: number; zone?: Zone } = {}): string {
  const time = TIMES[zone].format(at);
  return dayOf(at, zone) === dayOf(now, zone) ? time : `${DAYS[zone].format(at)} ${time}`;
}

/** 2026-11-23T14:02:31.250+01:00, or with Z. */
export function iso(at: number, zone: Zone): string {
  if (zone === 'utc') return new Date(at).toISOString();
  const ahead = -new Date(at).getTimezoneOffset();
  const two = (value: number) => String(value).padStart(2, '0');
  const offset = `${ahead < 0 ? '-' : '+'}${two(Math.floor(Math.abs(ahead) / 60))}:${two(Math.abs(ahead) % 60)}`;
  return new Date(at + ahead * 60_000).toISOString().replace('Z', offset);
}

/** UTC, UTC+2, UTC-3:30: how far the chosen zone is ahead now. */
export function zoneName(zone: Zone, at = Date.now()): string {
  const [, sign, hours = 0, minutes = ''] = /([+-])(\d\d):(\d\d)$/u.exec(iso(at, zone)) ?? [];
  if (sign === undefined || `${hours}${minutes}` === '0000') return 'UTC';
  return `UTC${sign}${Number(hours)}${minutes === '00' ? '' : `:${minutes}`}`;
}

interface Said {
  readonly says: string;
  readonly tone: 'muted' | 'info' | 'ask' | 'wait' | 'good' | 'bad';
}

const STATUSES = new Map<string, Said>([
  ['idle', { says: 'Idle', tone: 'muted' }],
  ['queued', { says: 'Queued', tone: 'muted' }],
  ['running', { says: 'Running', tone: 'info' }],
  ['suspended_client_tool', { says: 'Waiting for you', tone: 'ask' }],
  ['suspended_step_partial', { says: 'Waiting for you and sub-agents', tone: 'ask' }],
  ['suspended_awaiting_children', { says: 'Waiting for sub-agents', tone: 'wait' }],
  ['interrupted', { says: 'Interrupted', tone: 'wait' }],
  ['completed', { says: 'Completed', tone: 'good' }],
  ['failed', { says: 'Failed', tone: 'bad' }],
  ['terminated', { says: 'Terminated', tone: 'muted' }],
]);

/** The statuses that have words. */
export const KNOWN_STATUSES: readonly string[] = [...STATUSES.keys()];

/** A status in words; one that is not known says its own. */
export const said = (status: string): Said => STATUSES.get(status) ?? { says: status, tone: 'muted' };

/** Characters that make a text look like another one, or that nobody sees. */
/** A text whose lines a page breaks: it takes a lone CR for a blank. */
export const linesOf = (text: string): string => text.replaceAll(/\r\n?/gu, '\n');

const HIDDEN = /(?![\n\r\t])[\p{Cc}\p{Cf}\u2028\u2029\u115f\u1160\u3164\uffa0]/gu;

/** Whether a text has such characters. */
export const isDeceptive = (text: string): boolean => text.search(HIDDEN) >= 0;

/** A text in which each of them is written out. */
export const escaped = (text: string): string =>
  text.replaceAll(HIDDEN, (each) => `\\u{${each.codePointAt(0)?.toString(16) ?? ''}}`);
