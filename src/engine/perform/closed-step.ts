/**
 * A closed step, as conditions of the AI SDK read it: each is read from the store when it is looked at.
 *
 * Keeps ST14, CL13.
 */
import type { Call, RepliedStep } from '../../core/agent/state';
import { replyText } from '../../core/agent/state';
import type {
  ClosedStep,
  StepFacts,
  StepPart,
  StepReasoning,
  StepToolCall,
  StepToolError,
  StepToolResult,
  StepUsage,
  StopFacts,
} from '../../core/definition/hooks/stop-when';
import { OffshootError } from '../../protocol/errors';
import { resultContent } from '../../protocol/messages';

/** What `stopWhen` is given. */
export class Facts implements StopFacts {
  readonly step: number;
  readonly text: string;
  readonly calls: StepFacts['calls'];
  readonly #read: (stepId: number) => RepliedStep;
  readonly #id: number;

  /** @param read a step of the session by its id */
  constructor(given: RepliedStep, read: (stepId: number) => RepliedStep) {
    const step = structuredClone(given);
    this.step = step.number;
    this.text = replyText(step);
    this.calls = step.calls.map(({ name, settled }) => ({
      name,
      success: settled?.result.success === true,
      result: settled ? resultContent(settled.result) : null,
    }));
    this.#id = step.id;
    this.#read = (id) => (id === step.id ? step : read(id));
  }

  /** The steps of a turn, and of the runs that it resumes, follow each other. */
  get steps(): ClosedStep[] {
    const first = this.#id - this.step + 1;
    return Array.from({ length: this.step }, (_, index) => new SeenStep(index, () => this.#read(first + index)));
  }
}

class SeenStep implements ClosedStep {
  readonly #read: () => RepliedStep;
  #known: RepliedStep | undefined;

  constructor(
    readonly stepNumber: number,
    read: () => RepliedStep,
  ) {
    this.#read = read;
  }

  get #step(): RepliedStep {
    this.#known ??= this.#read();
    return this.#known;
  }

  get model() {
    const [provider = '', ...modelId] = this.#step.model.split('/');
    return { provider, modelId: modelId.join('/') };
  }

  get content(): StepPart[] {
    const { reply, calls } = this.#step;
    const parts = reply.flatMap((part): StepPart[] => {
      if (part.type === 'text') return [{ type: 'text', text: part.text }];
      if (part.type === 'reasoning') return [{ type: 'reasoning', text: part.text }];
      if (part.type !== 'tool-call') return [];
      const call = calls[part.index];
      if (call === undefined) throw new OffshootError('internal', 'A reply names a call that does not exist.');
      return [{ type: 'tool-call', ...factsOf(call) }];
    });
    return [...parts, ...calls.flatMap(resultOf)];
  }

  get text(): string {
    return replyText(this.#step);
  }

  get reasoning(): StepReasoning[] {
    return this.content.filter((part) => part.type === 'reasoning');
  }

  get reasoningText(): string | undefined {
    const { reasoning } = this;
    return reasoning.length === 0 ? undefined : reasoning.map(({ text }) => text).join('');
  }

  get toolCalls(): StepToolCall[] {
    return this.content.filter((part) => part.type === 'tool-call');
  }

  get staticToolCalls(): never[] {
    return [];
  }

  get dynamicToolCalls(): StepToolCall[] {
    return this.toolCalls;
  }

  get toolResults(): StepToolResult[] {
    return this.content.filter((part) => part.type === 'tool-result');
  }

  get staticToolResults(): never[] {
    return [];
  }

  get dynamicToolResults(): StepToolResult[] {
    return this.toolResults;
  }

  get finishReason() {
    const { finishReason } = this.#step;
    return finishReason === 'paused' ? 'other' : finishReason;
  }

  get usage(): StepUsage {
    const { inputTokens, outputTokens, cachedTokens, cacheWriteTokens, reasoningTokens } = this.#step.usage;
    return {
      inputTokens,
      inputTokenDetails: {
        noCacheTokens: inputTokens - cachedTokens - (cacheWriteTokens ?? 0),
        cacheReadTokens: cachedTokens,
        cacheWriteTokens,
      },
      outputTokens,
      outputTokenDetails: { textTokens: outputTokens - reasoningTokens, reasoningTokens },
      totalTokens: inputTokens + outputTokens,
    };
  }

  get callId(): never {
    return notKept('callId');
  }
  get toolsContext(): never {
    return notKept('toolsContext');
  }
  get runtimeContext(): never {
    return notKept('runtimeContext');
  }
  get files(): never {
    return notKept('files');
  }
  get sources(): never {
    return notKept('sources');
  }
  get rawFinishReason(): never {
    return notKept('rawFinishReason');
  }
  get performance(): never {
    return notKept('performance');
  }
  get warnings(): never {
    return notKept('warnings');
  }
  get request(): never {
    return notKept('request');
  }
  get response(): never {
    return notKept('response');
  }
  get providerMetadata(): never {
    return notKept('providerMetadata');
  }
}

function notKept(member: string): never {
  throw new OffshootError(
    'invalid_definition',
    `A step has no \`${member}\` here: \`stopWhen\` sees its content, calls, results, finish reason, usage and model.`,
  );
}

const factsOf = ({ callId, name, input }: Call) =>
  ({ toolCallId: callId, toolName: name, input, dynamic: true }) as const;

function resultOf(call: Call): (StepToolResult | StepToolError)[] {
  const { settled } = call;
  if (settled === undefined) return [];
  const { result } = settled;
  return result.success
    ? [{ type: 'tool-result', ...factsOf(call), output: result.value }]
    : [{ type: 'tool-error', ...factsOf(call), error: result.error }];
}
