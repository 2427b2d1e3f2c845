/** The fact-checker, played by rules: the tool decides, the verdicts repeat what it said. */

import { beginningOf } from '../../protocol/content/cut';
import type { JsonObject } from '../../protocol/json';
import { isObject } from '../../protocol/json';
import { FINISH_TOOL } from '../../protocol/messages';
import type { CheckRequest, CheckResult } from '../schemas';
import { checkRequestSchema } from '../schemas';
import type { OfflineReply } from './reply';
import type { ToolUse, Turn } from './transcript';
import { parsed, settled } from './transcript';

type Wanted = CheckRequest['findings'][number];
type Verdict = CheckResult['verdicts'][number];

const keyOf = (citation: JsonObject | Wanted): string =>
  JSON.stringify([citation.document, citation.passage, citation.quotation]);

function verdictOf(finding: Wanted, check: Required<ToolUse> | undefined): Verdict {
  const { id } = finding;
  if (check === undefined) return { id, verdict: 'not_found', note: 'It was not checked.' };
  if (check.result.failure !== undefined)
    return { id, verdict: 'not_found', note: beginningOf(check.result.failure, 400) };
  const value = isObject(check.result.value) ? check.result.value : {};
  if (value.found === true) return { id, verdict: 'confirmed' };
  const elsewhere = value.elsewhere;
  if (typeof elsewhere === 'string') return { id, verdict: 'misplaced', passage: elsewhere };
  const reason = value.reason;
  return typeof reason === 'string'
    ? { id, verdict: 'not_found', note: beginningOf(reason, 400) }
    : { id, verdict: 'not_found' };
}

/** The fact-checker's next reply. */
export function playFactChecker(turn: Turn): OfflineReply {
  const request = checkRequestSchema.safeParse(parsed(turn.requests.at(-1) ?? ''));
  const findings = request.success ? request.data.findings : [];
  const checks = new Map(settled(turn, 'check_quotation').map((use) => [keyOf(use.input), use]));
  if (findings.length > 0 && checks.size === 0) {
    const calls = findings.map(({ document, passage, quotation }) => ({
      toolName: 'check_quotation',
      input: { document, passage, quotation },
    }));
    return { text: `I check ${findings.length} quotation${findings.length === 1 ? '' : 's'}.`, calls };
  }
  const verdicts = findings.map((finding) => verdictOf(finding, checks.get(keyOf(finding))));
  const confirmed = verdicts.filter(({ verdict }) => verdict === 'confirmed').length;
  return {
    text: `${confirmed} of ${verdicts.length} quotations are confirmed.`,
    calls: [{ toolName: FINISH_TOOL, input: { verdicts } }],
  };
}
