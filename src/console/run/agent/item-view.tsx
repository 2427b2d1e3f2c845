/** One item of a transcript. */
import { memo, useMemo } from 'react';
import type { Json, RunView, StepView } from '../../../client';
import { textOfOutput } from '../../../protocol/view/output-text';
import { type TranscriptItem as Item, textOf } from '../../../react/transcript-items';
import { MadeFile, ProviderTool, Sources } from '../../parts/further';
import { innerOf, JsonView } from '../../parts/json';
import { Markdown } from '../../parts/markdown';
import { Time } from '../../parts/time';
import { count, escaped, said, tokens } from '../../parts/words';
import { Call } from './call';

interface ItemProps {
  readonly item: Item;
  readonly address: string;
  readonly isOpen: boolean | undefined;
  readonly onOpen: (id: string, open: boolean) => void;
}

/** What an agent was told: where that is JSON, such as a task's input, as JSON. */
function Told({ text }: { text: string }) {
  const inner = useMemo(() => innerOf(text), [text]);
  return inner === undefined ? <Markdown text={text} /> : <JsonView value={inner} />;
}

/** The failures of the models that were asked before the one that replied. */
const passedOverSays = (view: StepView): string | undefined =>
  view.status === 'committed'
    ? view.passedOver?.map(({ code, message }) => `${code}: ${message}`).join('\n')
    : undefined;

function StepLine({ view, over }: { view: StepView; over: boolean }) {
  const who = view.speaker ?? (view.side === undefined ? undefined : `side ${view.side}`);
  return (
    <h3 className="step-line">
      step {view.step}
      {who !== undefined && <span className="badge tone-info">{who}</span>}
      <span className="muted spent" title={passedOverSays(view)}>
        {view.status === 'committed'
          ? `${view.model}${view.passedOver ? ` (fallback after ${view.passedOver.length})` : ''}, ${count(tokens(view.usage))} tokens`
          : over
            ? 'not finished'
            : 'in progress'}
      </span>
      <span className="muted">
        <Time at={view.startedAt} />
      </span>
    </h3>
  );
}

/** What a run has given; nothing where its last words were that already. */
function Output({ output, steps }: { output: Json; steps: readonly StepView[] }) {
  const text = textOfOutput(output);
  const last = steps.at(-1)?.parts.filter(({ kind }) => kind === 'text');
  const isSaid =
    text !== undefined &&
    last
      ?.map((part) => part.text)
      .join('')
      .trim() === text.trim();
  if (isSaid || output === null || text === '') return null;
  return (
    <section className="told" aria-label="Its result">
      <h3>result</h3>
      {text === undefined ? <JsonView value={output} /> : <Markdown text={text} />}
    </section>
  );
}

function RunEnd({ run }: { run: RunView }) {
  if (run.end === undefined) return null;
  const { end, steps } = run;
  return (
    <>
      <p className={`end-of-run tone-${said(end.status).tone}`}>
        {said(end.status).says}
        {end.status === 'failed' ? `: ${end.error.title} (${end.error.code})` : ''}
        {'reason' in end && end.reason !== '' ? `: ${end.reason}` : ''}
      </p>
      {end.status === 'failed' && end.error.message !== end.error.title && (
        <p className="failure-message">{escaped(end.error.message)}</p>
      )}
      {end.status === 'completed' && <Output output={end.output} steps={steps} />}
    </>
  );
}

function Folded({
  id,
  title,
  text,
  isOpen,
  onOpen,
}: Omit<ItemProps, 'item' | 'address'> & Record<'id' | 'title' | 'text', string>) {
  const open = isOpen ?? false;
  return (
    <div className="thinking">
      <button type="button" className="fold" aria-expanded={open} onClick={() => onOpen(id, !open)}>
        {title} <span className="muted">{text.length.toLocaleString()} characters</span>
      </button>
      {open && <Markdown text={text} />}
    </div>
  );
}

function Older({ entry }: { entry: Extract<Item, { kind: 'older' }>['entry'] }) {
  const { role, content, result, toolName, at } = entry;
  return (
    <div className={role === 'assistant' ? '' : 'told'}>
      <h3>
        {toolName ?? (role === 'assistant' ? 'said' : role)}{' '}
        <span className="muted">
          <Time at={at} />
        </span>
      </h3>
      {content !== undefined && <Markdown text={textOf(content)} />}
      {result !== undefined && <JsonView value={result} />}
    </div>
  );
}

function DeliveredMessage({ message }: Pick<Extract<Item, { kind: 'message' }>, 'message'>) {
  const { from, role, text, attachments, cut, at } = message;
  return (
    <div className="told">
      <h3>
        message from {from}
        {role === 'user' ? '' : ` as ${role}`}{' '}
        <span className="muted">
          <Time at={at} />
        </span>
      </h3>
      <Told text={text} />
      {cut && <p className="muted">Truncated to the first 8,192 characters.</p>}
      {attachments.length > 0 && <p className="muted">With {attachments.join(', ')}</p>}
    </div>
  );
}

/** Reasons of recoveries that have words of their own. */
const RECOVERED: Readonly<Record<string, string>> = {
  restart: 'The server restarted; the run continued from its last committed step.',
  failure: 'A server failure interrupted the run; it continued from its last committed step.',
};

const recoveredSays = (reason: string): string => RECOVERED[reason] ?? `The run was recovered here: ${reason}`;

/** The item. */
export const ItemView = memo(function ItemView({ item, address, isOpen, onOpen }: ItemProps) {
  switch (item.kind) {
    case 'edge':
      return <p className="hatched muted">{item.says}</p>;
    case 'older':
      return <Older entry={item.entry} />;
    case 'asked':
      return item.message === undefined ? (
        <div className="told">
          <h3>message from {item.from}</h3>
          <Told text={item.text} />
        </div>
      ) : (
        <DeliveredMessage message={item.message} />
      );
    case 'message':
      return <DeliveredMessage message={item.message} />;
    case 'recovered':
      return <p className="hatched muted">{recoveredSays(item.reason)}</p>;
    case 'discarded':
      return (
        <p className="hatched muted">
          Attempt {item.attempt} was discarded: {item.reason}
          {item.nextModel !== undefined && `; model ${item.nextModel + 1} is next`}
          {item.retryAt !== undefined && item.nextModel === undefined && (
            <>
              , the next is due <Time at={item.retryAt} />
            </>
          )}
        </p>
      );
    case 'step':
      return <StepLine view={item.view} over={item.over} />;
    case 'text':
      return <Markdown text={item.text} />;
    case 'thinking':
      return <Folded id={item.id} title="Thinking" text={item.text} isOpen={isOpen} onOpen={onOpen} />;
    case 'provider-tool':
      return <ProviderTool tool={item.tool} isOpen={isOpen ?? false} onOpen={(open) => onOpen(item.id, open)} />;
    case 'made-file':
      return <MadeFile file={item.file} address={address} />;
    case 'sources':
      return <Sources sources={item.sources} />;
    case 'call':
      return (
        <Call
          address={address}
          call={item.call}
          over={item.over}
          isOpen={isOpen}
          onOpen={(open) => onOpen(item.id, open)}
        />
      );
    case 'end':
      return <RunEnd run={item.run} />;
  }
}, sameItem);

/** Items are made anew with each chunk; what is drawn of them is not. */
function sameItem(one: ItemProps, other: ItemProps): boolean {
  if (one.isOpen !== other.isOpen || one.item.kind !== other.item.kind || one.item.id !== other.item.id) return false;
  const [before, after] = [one.item, other.item];
  if (before.kind === 'call' && after.kind === 'call') return before.call === after.call && before.over === after.over;
  if (before.kind === 'step' && after.kind === 'step') return before.view === after.view && before.over === after.over;
  if (before.kind === 'end' && after.kind === 'end') return before.run.end === after.run.end;
  if ('text' in before && 'text' in after) return before.text === after.text;
  if (before.kind === 'provider-tool' && after.kind === 'provider-tool') return before.tool === after.tool;
  if (before.kind === 'made-file' && after.kind === 'made-file') return before.file === after.file;
  if (before.kind === 'sources' && after.kind === 'sources') return before.sources.length === after.sources.length;
  if (before.kind === 'message' && after.kind === 'message') return before.message === after.message;
  if (before.kind === 'older' && after.kind === 'older') return before.entry === after.entry;
  if (before.kind === 'edge' && after.kind === 'edge') return before.says === after.says;
  return true;
}
