/** The writer, played by rules: it puts the sources' own sentences into the form of the text, and mends what it is told. */
import { collapse } from '../quotes';
import type { TextRequest } from '../schemas';
import type { OfflineReply } from './reply';
import { say } from './reply';
import { commissionOf, type Fault, faultsIn, frameOf, shortestOf, sourcesIn, statementOf, wordCount } from './texts';
import { settled, type Turn } from './transcript';

/** What a draft is made of: the sources that it states, by their numbers, and whether it says what stays open. */
interface Plan {
  readonly sources: readonly number[];
  readonly open: boolean;
}

/** A draft: the opening, a paragraph for each part, what stays open, the closing, and how it was written. */
function draftOf(request: TextRequest, { sources, open }: Plan): string {
  const frame = frameOf(request);
  const parts = new Map<string, string[]>();
  for (const number of sources) {
    const source = request.sources[number - 1];
    if (source === undefined) continue;
    const said = parts.get(source.part) ?? [];
    parts.set(source.part, [...said, `${statementOf(source)} [${number}]`]);
  }
  return [
    frame.opening,
    ...[...parts.values()].map((statements) => statements.join(' ')),
    open ? frame.open : undefined,
    frame.closing,
    frame.note,
  ]
    .filter((paragraph) => paragraph !== undefined)
    .join('\n\n');
}

/** Leaves out the last statement of the part that has most, of several the last part's, until the text is short enough or has one. */
function shortened(request: TextRequest, plan: Plan): Plan {
  let { sources } = plan;
  while (wordCount(draftOf(request, { ...plan, sources })) > request.maxWords) {
    const ofPart = new Map<string, number[]>();
    for (const number of sources) {
      const part = request.sources[number - 1]?.part ?? '';
      ofPart.set(part, [...(ofPart.get(part) ?? []), number]);
    }
    if (sources.length < 2) break;
    const [longest] = [...ofPart.values()].reverse().sort((one, other) => other.length - one.length);
    const last = longest?.at(-1);
    sources = sources.filter((number) => number !== last);
  }
  return { ...plan, sources };
}

/** What a fault changes. A statement that is not as its source has it is stated anew from that; one twice goes. */
function mendedFor(request: TextRequest, plan: Plan, { kind, sentence }: Fault): Plan {
  if (kind === 'missing') {
    if (sentence === collapse(frameOf(request).open ?? '')) return { ...plan, open: true };
    const shortest = shortestOf(request, sentence);
    const number = shortest === undefined ? 0 : request.sources.indexOf(shortest) + 1;
    return number > 0 && !plan.sources.includes(number) ? { ...plan, sources: [...plan.sources, number] } : plan;
  }
  if (kind !== 'repeated') return plan;
  const same = plan.sources.filter((number) => {
    const source = request.sources[number - 1];
    return source !== undefined && statementOf(source) === sentence;
  });
  const later = new Set(same.slice(1));
  return { ...plan, sources: plan.sources.filter((number) => !later.has(number)) };
}

/** The next plan, from the draft before and what its review says. */
function mended(request: TextRequest, draft: string, review: string): Plan {
  const { open = '' } = frameOf(request);
  const before: Plan = { sources: sourcesIn(draft, request), open: open !== '' && draft.includes(open) };
  const faults = faultsIn(review);
  const plan = faults.reduce((next, fault) => mendedFor(request, next, fault), before);
  // Last: what was put in must fit, too.
  return faults.some(({ kind }) => kind === 'too_long') ? shortened(request, plan) : plan;
}

/** The writer's next reply. */
export function playWriter(turn: Turn): OfflineReply {
  const commission = commissionOf(turn);
  if (commission === undefined || commission.request.sources.length === 0)
    return say('I am the offline model, and I was given nothing to write from.');
  const { request, since } = commission;
  const drafts = settled({ uses: [...turn.before, ...turn.uses] }, 'hand_in_draft');
  const last = drafts.at(-1)?.input.draft;
  const review = since.at(-1);
  const first: Plan = { sources: request.sources.map((_, index) => index + 1), open: false };
  const isFirst = typeof last !== 'string' || review === undefined;
  const draft = draftOf(request, isFirst ? first : mended(request, last, review));
  const text = isFirst
    ? `I draft the ${request.kind} from ${request.sources.length} cited passage${request.sources.length === 1 ? '' : 's'}.`
    : 'I have revised the draft as far as my rules go.';
  return { text, calls: [{ toolName: 'hand_in_draft', input: { draft } }] };
}
