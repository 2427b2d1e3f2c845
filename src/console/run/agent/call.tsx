/** One tool call: folded to its name, arguments and outcome; what an approver changed is shown as asked against ran with. */
import { useQuery } from '@tanstack/react-query';
import { memo, useState } from 'react';
import type { CallView, Json } from '../../../client';
import { endOf } from '../../../protocol/content/cut';
import { personOf } from '../../../protocol/shown/people';
import { server } from '../../data/session';
import { labelOf } from '../../data/shown/labels';
import { JsonView } from '../../parts/json';
import { later } from '../../parts/later';
import { escaped, span } from '../../parts/words';

const { Part: Difference } = later(async () => (await import('./difference')).Difference);

/** Larger results, in characters of JSON, are shown when they are asked for. */
const LARGE = 65_536;

/** Hands a value to the person as a file. */
export function saveAs(name: string, parts: BlobPart[], type: string): void {
  const url = URL.createObjectURL(new Blob(parts, { type }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

function Value({ title, name, value }: { title: string; name: string; value: Json }) {
  const text = typeof value === 'string' ? value : JSON.stringify(value, undefined, 2);
  const [open, setOpen] = useState(text.length <= LARGE);
  const isText = typeof value === 'string';
  return (
    <>
      <h4 className="value-head">
        {title} <span className="muted">{text.length.toLocaleString()} characters</span>
        <button type="button" className="linkish" onClick={() => void navigator.clipboard?.writeText(text)}>
          Copy
        </button>
        <button
          type="button"
          className="linkish"
          onClick={() =>
            saveAs(`${name}.${isText ? 'txt' : 'json'}`, [text], isText ? 'text/plain' : 'application/json')
          }
        >
          Download
        </button>
        {!open && (
          <button type="button" className="linkish" onClick={() => setOpen(true)}>
            Show
          </button>
        )}
      </h4>
      {open && <JsonView value={value} />}
    </>
  );
}

/** What a person agreed to in place of what was asked; the ledger alone has it. */
function Changed({ address, call }: { address: string; call: Extract<CallView, { arguments: Json }> }) {
  const { data } = useQuery({
    queryKey: ['ledger', address, call.toolCallId],
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async ({ signal }) => {
      let cursor: string | undefined;
      do {
        const page = await server().calls(address, { limit: 500, signal, ...(cursor === undefined ? {} : { cursor }) });
        const found = page.items.find(({ toolCallId }) => toolCallId === call.toolCallId);
        if (found !== undefined)
          return { input: found.input, ranWith: found.answer?.input, reason: found.answer?.reason };
        cursor = page.cursor;
      } while (cursor !== undefined);
      return { input: call.arguments, ranWith: undefined, reason: undefined };
    },
  });
  if (data === undefined) return null;
  return (
    <>
      {data.reason !== undefined && <p className="muted">Reason: {data.reason}</p>}
      {data.ranWith !== undefined && <Difference asked={data.input} ranWith={data.ranWith} />}
    </>
  );
}

function Answer({ address, call }: { address: string; call: CallView }) {
  if (!('answer' in call) || call.answer === undefined) return null;
  const { approved, kind, actor } = call.answer;
  const says = approved === false ? 'Denied' : kind === 'approval-response' ? 'Approved' : 'Answered';
  return (
    <>
      <p className="muted">
        {says}
        {actor === undefined ? '' : ` by ${personOf(actor)}`}
      </p>
      {kind === 'approval-response' && <Changed address={address} call={call} />}
    </>
  );
}

function Body({ address, call }: { address: string; call: Exclude<CallView, { status: 'drafting' }> }) {
  const name = `${call.toolName}-${call.toolCallId}`;
  return (
    <div className="call-body">
      <Value title="Arguments" name={`${name}-arguments`} value={call.arguments} />
      <Answer address={address} call={call} />
      {'error' in call && call.error !== undefined && (
        <p className="trouble">
          {call.error.title} <code>{call.error.code}</code>
        </p>
      )}
      {'result' in call && call.result !== undefined && (
        <Value title="Result" name={`${name}-result`} value={call.result} />
      )}
    </div>
  );
}

const SAYS: Readonly<Record<CallView['status'], string>> = {
  drafting: 'being written',
  running: 'runs',
  waiting: 'waiting for you',
  succeeded: 'done',
  failed: 'failed',
};

/** The call. `isOpen`: as a person left it; undefined where they never touched it. */
export const Call = memo(function Call(props: {
  readonly address: string;
  readonly call: CallView;
  /** Whether its run has an end: what is open then goes on with the next one, if at all. */
  readonly over: boolean;
  readonly isOpen: boolean | undefined;
  readonly onOpen: (open: boolean) => void;
}) {
  const { address, call, over, isOpen, onOpen } = props;
  const says = over && call.status === 'running' ? 'not finished' : SAYS[call.status];
  if (call.status === 'drafting')
    return (
      <p className="call muted">
        {call.toolName || 'a tool'} <code>{escaped(endOf(call.argumentText, 120))}</code>
      </p>
    );
  // One that waits stands below as a card, whole.
  const open = isOpen ?? call.status === 'failed';
  const took = 'endedAt' in call ? span(call.endedAt - call.startedAt) : '';
  return (
    <div className={`call ${call.status}`}>
      <button type="button" className="call-line" aria-expanded={open} onClick={() => onOpen(!open)}>
        <strong>{call.toolName}</strong> <span className="muted">{says}</span> {took}{' '}
        <code>{labelOf(call.arguments)}</code>
      </button>
      {open && <Body address={address} call={call} />}
    </div>
  );
});
