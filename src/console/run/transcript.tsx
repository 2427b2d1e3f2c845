/** What one agent was told, said and did, by step, as it happens. */
import { useQuery } from '@tanstack/react-query';
import { memo, useCallback, useEffect, useRef, useState } from 'react';
import type { AgentView, CallView, RunView, StepView } from '../../client';
import { server } from '../data/session';
import { JsonView } from '../parts/json';
import { Markdown } from '../parts/markdown';
import { said, span } from '../parts/words';

/** Steps that are shown before older ones are asked for. */
const SOME = 60;
/** Nearer to the end than this, in px, new text is followed. */
const NEAR = 40;

function oneLine(value: unknown): string {
  return (JSON.stringify(value) ?? '').slice(0, 160);
}

function Call({ call }: { call: CallView }) {
  // One that waits stands below as a card, whole.
  const open = call.status === 'failed';
  const took = 'endedAt' in call ? span(call.endedAt - call.startedAt) : '';
  if (call.status === 'drafting')
    return (
      <p className="call muted">
        {call.toolName || 'a tool'} … {call.argumentText.slice(-120)}
      </p>
    );
  return (
    <details className={`call ${call.status}`} open={open}>
      <summary>
        <strong>{call.toolName}</strong> <span className="muted">{call.status}</span> {took}{' '}
        <code>{oneLine(call.arguments)}</code>
      </summary>
      <h4>Arguments</h4>
      <JsonView value={call.arguments} />
      {'answer' in call && call.answer !== undefined && (
        <p className="muted">
          {call.answer.approved === false
            ? 'Denied'
            : call.answer.kind === 'approval-response'
              ? 'Approved'
              : 'Answered'}
          {call.answer.actor === undefined ? '' : ` by ${call.answer.actor}`}
        </p>
      )}
      {'error' in call && call.error !== undefined && (
        <p className="trouble">
          {call.error.title} <code>{call.error.code}</code>
        </p>
      )}
      {'result' in call && call.result !== undefined && (
        <>
          <h4>Result</h4>
          <JsonView value={call.result} />
        </>
      )}
    </details>
  );
}

const Step = memo(function Step({ step, calls }: { step: StepView; calls: readonly CallView[] }) {
  return (
    <section className="step" aria-label={`Step ${step.step}`}>
      <h3>
        step {step.step} <span className="muted">{step.status === 'committed' ? step.model : 'under way'}</span>
      </h3>
      {step.discarded.map(({ attempt, reason }) => (
        <p key={attempt} className="hatched muted">
          Attempt {attempt} was discarded: {reason}
        </p>
      ))}
      {step.parts.map(({ kind, part, text }) =>
        kind === 'text' ? (
          <Markdown key={part} text={text} />
        ) : (
          <details key={part} className="thinking">
            <summary>Thinking</summary>
            <Markdown text={text} />
          </details>
        ),
      )}
      {calls.map((call) => (
        <Call key={call.toolCallId} call={call} />
      ))}
    </section>
  );
});

function RunEnd({ run }: { run: RunView }) {
  if (run.end === undefined) return null;
  const { end } = run;
  return (
    <p className={`end-of-run tone-${said(end.status).tone}`}>
      {said(end.status).says}
      {end.status === 'failed' ? `: ${end.error.title} (${end.error.code})` : ''}
      {'reason' in end ? `: ${end.reason}` : ''}
    </p>
  );
}

/** The text that a start brought is in the transcript of the server alone. */
function useAsked(agent: AgentView) {
  const turns = agent.runs.length;
  return useQuery({
    queryKey: ['asked', agent.agentId, turns],
    queryFn: async ({ signal }) => {
      const { items } = await server().messages(agent.address, { limit: 500, signal });
      const own = items.filter(({ role, silent }) => role === 'user' && silent === undefined);
      return new Map(own.map(({ turn = 0, content }) => [turn, textOf(content)]));
    },
  });
}

function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return content === undefined ? '' : JSON.stringify(content);
  return content.map((part) => (typeof part?.text === 'string' ? part.text : `[${part?.type ?? 'part'}]`)).join('\n');
}

/** Follows the end of a box from the end alone, however it or what is in it grows. */
function useEnd() {
  const box = useRef<HTMLDivElement>(null);
  const inner = useRef<HTMLDivElement>(null);
  const sticks = useRef(true);
  const [follows, setFollows] = useState(true);
  const toEnd = useCallback(() => {
    sticks.current = true;
    setFollows(true);
    box.current?.scrollTo({ top: box.current.scrollHeight });
  }, []);
  useEffect(() => {
    const element = box.current;
    if (element === null) return undefined;
    let before = element.scrollTop;
    const onScroll = () => {
      const near = element.scrollHeight - element.scrollTop - element.clientHeight < NEAR;
      // Only a way up lets go: what grows below moves the end and not the reader.
      if (near) sticks.current = true;
      else if (element.scrollTop < before) sticks.current = false;
      before = element.scrollTop;
      setFollows(sticks.current);
    };
    const sizes = new ResizeObserver(() => {
      if (sticks.current) element.scrollTop = element.scrollHeight;
    });
    sizes.observe(element);
    if (inner.current !== null) sizes.observe(inner.current);
    element.addEventListener('scroll', onScroll, { passive: true });
    return () => {
      sizes.disconnect();
      element.removeEventListener('scroll', onScroll);
    };
  }, []);
  return { box, inner, follows, toEnd };
}

/** The view. */
export function Transcript({ agent }: { agent: AgentView }) {
  const asked = useAsked(agent);
  const [all, setAll] = useState(false);
  const { box, inner, follows, toEnd } = useEnd();
  const steps = agent.runs.reduce((sum, run) => sum + run.steps.length, 0);
  let left = all ? 0 : Math.max(0, steps - SOME);
  return (
    <div className="transcript-box">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls takes the arrow keys */}
      <div className="transcript" ref={box} tabIndex={0} role="log" aria-live="off" aria-label="Transcript">
        <div ref={inner} className="entries">
          {left > 0 && (
            <button type="button" onClick={() => setAll(true)}>
              {left} earlier steps
            </button>
          )}
          {agent.runs.map((run) => {
            const shown = run.steps.slice(left);
            left = Math.max(0, left - run.steps.length);
            const text = asked.data?.get(run.turn);
            return (
              <div key={run.runId} className="run">
                {run.resumedFrom === undefined && text !== undefined && text !== '' && (
                  <div className="told">
                    <h3>asked</h3>
                    <Markdown text={text} />
                  </div>
                )}
                {run.recoveries.map((reason, index) => (
                  <p key={`${index}`} className="hatched muted">
                    Recovered: {reason}
                  </p>
                ))}
                {shown.map((step) => (
                  <Step
                    key={step.step}
                    step={step}
                    calls={agent.calls.filter((call) => call.runId === run.runId && call.step === step.step)}
                  />
                ))}
                <RunEnd run={run} />
              </div>
            );
          })}
          {agent.runs.length === 0 && <p className="muted">Nothing was said yet.</p>}
        </div>
      </div>
      {!follows && (
        <button type="button" className="to-live" onClick={toEnd}>
          To live
        </button>
      )}
    </div>
  );
}
