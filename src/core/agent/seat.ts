/**
 * What a session works by: a definition, with what the machines and the model are told of it (decision 30).
 *
 * Keeps SE6.
 */

import { isObject } from '../../protocol/json';
import type { SideName } from '../../protocol/sides';
import { workersOf } from '../definition/children/handoffs';
import type { AgentDefinition, AnyTool, WorkspaceOptions } from '../definition/definition';
import { hooksOf } from '../definition/hooks/hooks';
import { limitsOf } from '../definition/limits';
import type { ToolSpec } from '../definition/model-port';
import { modelsOf } from '../definition/models/models';
import { argumentsSchema, CARRIER, jsonSchemaOf, strictForm } from '../definition/schemas/schema';
import { BUILT_IN_TOOLS } from './built-in/table';
import type { CapabilityMachine } from './capability';
import type { BoundTool, BuiltInTool, Rules, SessionTraits } from './rules';
import { workerOf } from './standard-agents/handoff';
import type { SidesRules } from './standard-agents/sides';
import { directTool, entriesOf, handoffTool, promptOf } from './standard-agents/subagent-call';
import type { RegisteredChild } from './standard-agents/subagent-registry';
import type { AgentState, Session } from './state';

/** One of two sides, as it sees the session. */
export interface Viewer {
  readonly side: SideName;
  readonly sides: SidesRules;
}

/** A definition at work. Whoever asks for it again for the same definition gets the same one, so nothing is worked out twice. */
export class Seat {
  readonly rules: Rules;
  readonly #heirs = new Map<string, Seat>();
  readonly #sides = new Map<SideName, Seat>();
  #tools: readonly ToolSpec[] | undefined;

  /**
   * @param table the tools of the framework that there are
   * @param workspace what its model may do with the files that it works on
   * @param viewer the side that it is of, where it is one of two
   * @param session what its session may do beside
   */
  constructor(
    readonly definition: AgentDefinition,
    readonly table: readonly BuiltInTool[] = BUILT_IN_TOOLS,
    readonly workspace: WorkspaceOptions | undefined = definition.workspace,
    readonly viewer?: Viewer,
    readonly session: SessionTraits = {},
  ) {
    const rules = rulesOf(workspace === undefined ? definition : { ...definition, workspace }, table, session);
    this.rules = viewer ? { ...rules, sides: viewer.sides } : rules;
  }

  /** The same for a state: of who works for the session, and of two sides the one whose turn it is. */
  at(state: AgentState): Seat {
    const { run } = state;
    const name = workerOf(state);
    return (this.definition.handoffs.length === 0 ? this : this.#worker(name)).#side(run);
  }

  /** That of the agent that a session was handed to; its own where there is none of that name any more. */
  #worker(name: string | undefined): Seat {
    const key = `worker ${name ?? ''}`;
    const known = this.#heirs.get(key);
    if (known) return known;
    const workers = workersOf(this.definition);
    const definition = (name === undefined ? undefined : workers.get(name)) ?? this.definition;
    const all = [...workers.values()];
    const inherits = {
      any: all.some(({ subagents }) => subagents.length > 0),
      lasting: all.some((one) => entriesOf(one).lasting.length > 0),
    };
    const made = new Seat(
      definition,
      this.table,
      definition === this.definition ? this.workspace : undefined,
      undefined,
      {
        ...this.session,
        ...(name === undefined ? {} : { handed: true }),
        inherits,
      },
    );
    this.#heirs.set(key, made);
    return made;
  }

  #side(run: AgentState['run']): Seat {
    const { sides: of, maxSessionTurns: maxTurns } = this.definition;
    if (of === undefined) return this;
    const side = run?.sides?.acting ?? 'side_a';
    const known = this.#sides.get(side);
    if (known) return known;
    const sides = { of, ...(maxTurns === undefined ? {} : { maxTurns }) };
    const made = new Seat(of[side].definition, this.table, this.workspace, { side, sides }, this.session);
    this.#sides.set(side, made);
    return made;
  }

  /**
   * The same for a session: one that works on the files of another has the tools for them, under that one's rules; one that
   * may hand files over, or read others, has the tool for that.
   */
  over({ workspace, givesFiles, mayRead }: Pick<Session, 'workspace' | 'givesFiles' | 'mayRead'>): Seat {
    const rules = workspace?.is === 'inherited' ? workspace.rules : undefined;
    if (rules === undefined && givesFiles === undefined && mayRead === undefined) return this;
    const { readOnly, requireApproval } = rules ?? {};
    const key = `${rules !== undefined} ${readOnly === true} ${requireApproval === true} ${givesFiles === true} ${mayRead === true}`;
    const traits = { ...this.session, ...(givesFiles ? { givesFiles } : {}), ...(mayRead ? { mayRead } : {}) };
    const heir =
      this.#heirs.get(key) ?? new Seat(this.definition, this.table, rules ?? this.workspace, this.viewer, traits);
    this.#heirs.set(key, heir);
    return heir;
  }

  /** The same without these of its sub-agents, which are switched off now. */
  without(agents: readonly string[]): Seat {
    if (agents.length === 0) return this;
    const key = `without ${agents.join(' ')}`;
    const { definition, table, workspace, session } = this;
    const subagents = definition.subagents.filter(({ name }) => !agents.includes(name));
    const heir = this.#heirs.get(key) ?? new Seat({ ...definition, subagents }, table, workspace, this.viewer, session);
    this.#heirs.set(key, heir);
    return heir;
  }

  /** The tools that a model is shown: those of the definition, and those of the framework that it is offered. */
  get tools(): readonly ToolSpec[] {
    this.#tools ??= toolSpecs(this.definition, this.rules);
    return this.#tools;
  }
}

/** All tools that models are offered who work by a definition, those of the framework too; of two sides each by itself. */
export function allTools(
  definition: AgentDefinition,
  capabilities: readonly Adding[] = NONE,
): { readonly tool: AnyTool; readonly side?: string }[] {
  const { sides } = definition;
  if (sides !== undefined)
    return [sides.side_a, sides.side_b].flatMap((side) =>
      allTools(side.definition, capabilities).map(({ tool }) => ({ tool, side: side.label })),
    );
  const { performed, builtIns } = seatOf(definition, capabilities).rules;
  const worked = builtIns.map(
    ({ name, description, inputSchema }): AnyTool => ({
      ...{ name, description, inputSchema, runsAt: 'server', replay: 'safe' },
      ...{ requireApproval: false, finishWith: false },
    }),
  );
  return [...definition.tools, ...performed, ...worked].map((tool) => ({ tool }));
}

/** What of them its model is shown now, by the children of its registry. */
export function toolsNow({ tools, rules }: Seat, registry: readonly RegisteredChild[]): readonly ToolSpec[] {
  const withheld = rules.builtIns.filter(({ offered }) => offered?.(registry) === false).map(({ name }) => name);
  return withheld.length === 0 ? tools : tools.filter(({ name }) => !withheld.includes(name));
}

/** What of a capability a seat needs: the tools that it adds. */
type Adding = Pick<CapabilityMachine, 'tools'>;

const NONE: readonly Adding[] = [];
const seats = new WeakMap<readonly Adding[], WeakMap<AgentDefinition, Seat>>();

/** The seat of a definition, made once for each list of capabilities. */
export function seatOf(definition: AgentDefinition, capabilities: readonly Adding[] = NONE): Seat {
  const all = seats.get(capabilities) ?? new WeakMap<AgentDefinition, Seat>();
  seats.set(capabilities, all);
  const known = all.get(definition);
  if (known) return known;
  const added = capabilities.flatMap(({ tools = [] }) => tools);
  const made = new Seat(definition, added.length === 0 ? BUILT_IN_TOOLS : [...BUILT_IN_TOOLS, ...added]);
  all.set(definition, made);
  return made;
}

/** The tools of the framework that an agent has: those that its machine applies, and those that are performed as its own. */
function offeredBy(
  definition: AgentDefinition,
  table: readonly BuiltInTool[],
  session: SessionTraits,
): { readonly bound: BoundTool[]; readonly performed: AnyTool[] } {
  const bound: BoundTool[] = [];
  const performed: AnyTool[] = [];
  for (const tool of table) {
    const { name } = tool;
    const offered = tool.of(definition, session);
    if (offered === undefined) continue;
    if ('apply' in offered) {
      bound.push({ name, ...offered });
      continue;
    }
    const { performed: _performed, ...facts } = offered;
    performed.push({ name, ...facts, runsAt: 'server', finishWith: false });
  }
  return { bound, performed };
}

/** Those that its machine applies. */
export function boundTo(definition: AgentDefinition, table: readonly BuiltInTool[]): BoundTool[] {
  return offeredBy(definition, table, {}).bound;
}

/** The tools of the sub-agents that live for one call, by the name of the agent each. */
const delegating = (definition: AgentDefinition): AnyTool[] => entriesOf(definition).passing.map(directTool);

/** The tools of the agents that it may hand its session to, by the name of each. */
const handing = ({ handoffs }: AgentDefinition): AnyTool[] => handoffs.map(handoffTool);

function rulesOf(definition: AgentDefinition, table: readonly BuiltInTool[], session: SessionTraits): Rules {
  const { bound: builtIns, performed } = offeredBy(definition, table, session);
  const own = definition.tools.filter((tool) => tool.finishWith);
  const ending = [...own, ...builtIns.filter((tool) => tool.endsRun)];
  return {
    limits: limitsOf(definition.limits),
    models: modelsOf(definition).map(({ on }) => on),
    finishTools: definition.outputSchema === undefined ? [] : ending.map(({ name }) => name),
    builtIns,
    performed: [...performed, ...delegating(definition), ...handing(definition)],
    onConcurrentStart: definition.onConcurrentStart,
    ...(definition.onMessageWhilePending === 'deny' ? { deniesByMessage: true } : {}),
    hooks: new Map(definition.hooks.map(({ hook }) => [hook, hooksOf(definition.hooks, hook).map(({ id }) => id)])),
    ...(definition.subagents.some(({ config }) => config.immediate) ? { activates: promptOf(definition) } : {}),
    stopWhen: definition.stopWhen.length > 0,
    ...(session.handed ? { speaker: definition.title ?? definition.name } : {}),
  };
}

function toolSpecs({ tools }: AgentDefinition, { builtIns, performed }: Rules): ToolSpec[] {
  return [...tools, ...performed, ...builtIns].map(specOf);
}

function specOf({ name, description, inputSchema, shown = {} }: AnyTool | BoundTool): ToolSpec {
  const { inputExamples, ...more } = shown;
  const schema = argumentsSchema(inputSchema);
  const asked = jsonSchemaOf(schema);
  const examples = inputExamples?.flatMap((one) => {
    const input = schema === inputSchema ? one : { [CARRIER]: one };
    return isObject(input) ? [{ input }] : [];
  });
  return {
    name,
    description,
    inputSchema: more.strict ? strictForm(asked) : asked,
    ...more,
    ...(examples ? { inputExamples: examples } : {}),
  };
}
