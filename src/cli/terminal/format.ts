/** Numbers as a person reads them at a glance. */
import type { Usage } from '../../protocol/usage';

/** A time span: `4s`, `3m05s`, `1h02m`. Negative ones, as from clocks that disagree, are `0s`. */
export function formatSpan(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  const two = (value: number) => String(value).padStart(2, '0');
  if (seconds < 60) return `${seconds}s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)}m${two(seconds % 60)}s`;
  return `${Math.floor(seconds / 3600)}h${two(Math.floor((seconds % 3600) / 60))}m`;
}

/** A count in at most five characters: `950`, `1.2k`, `34k`, `5.6M`. */
export function formatCount(count: number): string {
  if (count < 1000) return String(Math.round(count));
  const [value, unit] = count < 999_500 ? [count / 1000, 'k'] : [count / 1_000_000, 'M'];
  return `${value < 9.95 ? value.toFixed(1) : Math.round(value)}${unit}`;
}

/** The tokens of a usage, in and out. */
export function tokensOf(usage: Usage): number {
  return usage.inputTokens + usage.outputTokens;
}

/** `1 step`, `2 steps`. */
export function plural(count: number, word: string): string {
  return `${count} ${word}${count === 1 ? '' : 's'}`;
}
