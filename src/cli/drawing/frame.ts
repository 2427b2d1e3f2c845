/** One frame of the live tree: from what is known and how large the terminal is, to lines. Pure. */
import { type AgentView, currentRun, pendingOf, type TreeView, treeUsage } from '../../protocol/view/view';
import { formatCount, formatSpan, plural, tokensOf } from '../terminal/format';
import { fitLine, type Line, lineWidth, type Span, type Style, span, spread } from '../terminal/style';
import { cleanLine, truncateFront } from '../terminal/text';
import {
  type Activity,
  activityOf,
  isSettled,
  type Node,
  outline,
  type Standing,
  standingOf,
  tailOf,
  troubleOf,
  waitOf,
} from './outline';

/** The signs of a frame. */
export interface Glyphs {
  readonly spinner: readonly string[];
  readonly standing: Readonly<Record<Exclude<Standing, 'working'>, string>>;
  readonly branch: string;
  readonly last: string;
  readonly through: string;
  readonly blank: string;
}

/** For terminals that show UTF-8. */
export const UNICODE: Glyphs = {
  spinner: ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'],
  standing: { waiting: '·', asking: '?', completed: '✓', failed: '✗', stopped: '■' },
  branch: '├─ ',
  last: '└─ ',
  through: '│  ',
  blank: '   ',
};

/** For all others. */
export const ASCII: Glyphs = {
  spinner: ['|', '/', '-', '\\'],
  standing: { waiting: '.', asking: '?', completed: '+', failed: 'x', stopped: '#' },
  branch: '|- ',
  last: '`- ',
  through: '|  ',
  blank: '   ',
};

/** What a frame depends on beside the view. */
export interface FrameOptions {
  /** Columns and rows that the frame may fill. */
  readonly width: number;
  readonly height: number;
  /** ms since 1970. */
  readonly now: number;
  /** Counts the frames; turns the spinner. */
  readonly tick: number;
  /** What was asked. */
  readonly title: string;
  /** What to say about the connection, when there is something to say. */
  readonly notice?: string;
  /** What the reader can do; left out once everything is settled. */
  readonly hint?: string;
  readonly glyphs?: Glyphs;
}

/** A line of the tree, with what it is worth when there is no room for all. */
interface Row {
  readonly line: Line;
  readonly kind: 'agent' | 'activity';
}

const STYLES: Readonly<Record<Standing, Style>> = {
  waiting: 'dim',
  working: 'accent',
  asking: 'warn',
  completed: 'good',
  failed: 'bad',
  stopped: 'warn',
};

/** The lines of a frame: at most `height` of them, each at most `width` columns. */
export function renderFrame(view: TreeView, options: FrameOptions): Line[] {
  const { width, height, title } = options;
  const nodes = outline(view);
  const head: Line[] = title === '' ? [] : [fitLine([span(title, 'bold')], width)];
  const foot = [footer(view, nodes, options)];
  const spacious = height >= 12;
  const room = height - head.length - foot.length - (spacious ? head.length + 1 : 0);
  const tree = fitRows(nodes, options, room);
  const gap: Line[] = spacious ? [[]] : [];
  return [...head, ...(head.length > 0 ? gap : []), ...tree, ...gap, ...foot].slice(0, Math.max(0, height));
}

/** Gives up, in this order, until the tree fits: what is below settled agents, what agents do, agents at the end. */
function fitRows(nodes: readonly Node[], options: FrameOptions, room: number): Line[] {
  const whole = rowsOf(nodes, options, (node) => node.children);
  if (whole.length <= room) return whole.map((row) => row.line);
  const folded = rowsOf(nodes, options, (node) => (isSettled(node) ? [] : node.children));
  if (folded.length <= room) return folded.map((row) => row.line);
  const agents = folded.filter((row) => row.kind === 'agent');
  if (agents.length <= room) return agents.map((row) => row.line);
  const busy = rowsOf(nodes, options, (node) => node.children.filter((child) => !isSettled(child)));
  const shown = busy.filter((row) => row.kind === 'agent').slice(0, Math.max(0, room - 1));
  const hidden = countAgents(nodes) - shown.length;
  const more: Line = fitLine([span(`… and ${plural(hidden, 'more agent')}`, 'dim')], options.width);
  return [...shown.map((row) => row.line), more].slice(0, Math.max(0, room));
}

function countAgents(nodes: readonly Node[]): number {
  return nodes.reduce((sum, node) => sum + 1 + countAgents(node.children), 0);
}

function rowsOf(nodes: readonly Node[], options: FrameOptions, childrenOf: (node: Node) => readonly Node[]): Row[] {
  const glyphs = options.glyphs ?? UNICODE;
  const rows: Row[] = [];
  const walk = (node: Node, guide: string, below: string) => {
    const children = childrenOf(node);
    const hidden = countAgents(node.children.filter((child) => !children.includes(child)));
    rows.push({ kind: 'agent', line: agentLine(node, guide, hidden, options) });
    for (const round of node.before) {
      const guideBefore = `${below}${children.length > 0 ? glyphs.through : glyphs.blank}`;
      rows.push({ kind: 'activity', line: fitLine([span(guideBefore, 'dim'), span(round, 'dim')], options.width) });
    }
    const doing = detailLine(node, `${below}${children.length > 0 ? glyphs.through : glyphs.blank}`, options);
    if (doing !== undefined) rows.push({ kind: 'activity', line: doing });
    children.forEach((child, index) => {
      const last = index === children.length - 1;
      walk(child, `${below}${last ? glyphs.last : glyphs.branch}`, `${below}${last ? glyphs.blank : glyphs.through}`);
    });
  };
  for (const node of nodes) walk(node, '', '');
  return rows;
}

function iconOf(agent: AgentView, options: FrameOptions): Span {
  const glyphs = options.glyphs ?? UNICODE;
  const standing = standingOf(agent);
  const icon =
    standing === 'working' ? (glyphs.spinner[options.tick % glyphs.spinner.length] ?? '') : glyphs.standing[standing];
  return span(icon, STYLES[standing]);
}

function agentLine(node: Node, guide: string, hidden: number, options: FrameOptions): Line {
  const { agent, task } = node;
  const child = agent.parentId !== undefined;
  const left: Span[] = [span(guide, 'dim'), iconOf(agent, options), span(` ${agent.agentType}`, 'bold')];
  if (child) left.push(span(` ${tailOf(agent)}`, 'dim'));
  if (hidden > 0) left.push(span(` (+${hidden})`, 'dim'));
  if (child && task !== '') left.push(span(`  ${task}`));
  return spread(left, statsOf(agent, options), options.width);
}

/** Steps, tokens and time, as far as the terminal has room for them. */
function statsOf(agent: AgentView, { width, now }: FrameOptions): Line {
  const run = currentRun(agent);
  if (run === undefined) return width >= 40 && standingOf(agent) === 'waiting' ? [span(agent.status, 'dim')] : [];
  const step = run.steps.at(-1)?.step ?? 0;
  const tokens = tokensOf(agent.usage);
  const parts: string[] = [];
  if (width >= 70 && step > 0) parts.push(run.end === undefined ? `step ${step}` : plural(step, 'step'));
  if (width >= 55 && tokens > 0) parts.push(`${formatCount(tokens)} tok`);
  if (width >= 36) parts.push(formatSpan((run.end?.at ?? now) - run.startedAt));
  return parts.length === 0 ? [] : [span(parts.join(' · '), 'dim')];
}

/** The second line of an agent: what it does, what it waits for, or what went wrong. */
function detailLine(node: Node, guide: string, options: FrameOptions): Line | undefined {
  const { agent } = node;
  const standing = standingOf(agent);
  const start = span(guide, 'dim');
  const room = options.width - lineWidth([start]);
  if (standing === 'working') {
    const activity = activityOf(agent);
    return activity === undefined || room < 8 ? undefined : [start, ...activityLine(activity, room)];
  }
  if (standing === 'failed' || standing === 'stopped') {
    const trouble = troubleOf(agent);
    return trouble === '' ? undefined : fitLine([start, span(trouble, STYLES[standing])], options.width);
  }
  return standing === 'asking' ? fitLine([start, span(waitOf(agent), 'warn')], options.width) : undefined;
}

function activityLine({ label, text, tail }: Activity, room: number): Line {
  const head = label === '' ? [] : [span(text === '' ? label : `${label} `, 'accent')];
  if (!tail) return fitLine([...head, span(text, 'dim')], room);
  return [...head, span(truncateFront(cleanLine(text).trim(), room - lineWidth(head)), 'dim')];
}

function footer(view: TreeView, nodes: readonly Node[], options: FrameOptions): Line {
  const count = (standing: Standing) => view.agents.filter((agent) => standingOf(agent) === standing).length;
  const [root] = view.agents;
  const run = root === undefined ? undefined : currentRun(root);
  const parts = [plural(view.agents.length, 'agent')];
  for (const [standing, word] of [
    ['working', 'working'],
    ['waiting', 'queued'],
    ['failed', 'failed'],
  ] as const) {
    if (count(standing) > 0) parts.push(`${count(standing)} ${word}`);
  }
  const waiting = pendingOf(view).length;
  if (waiting > 0) parts.push(`${waiting} for you`);
  const tokens = tokensOf(treeUsage(view));
  if (tokens > 0) parts.push(`${formatCount(tokens)} tokens`);
  if (run !== undefined) parts.push(formatSpan((run.end?.at ?? options.now) - run.startedAt));
  const left =
    view.agents.length === 0 ? [span('waiting for the first agent', 'dim')] : [span(parts.join(' · '), 'dim')];
  if (options.notice !== undefined) return spread(left, [span(options.notice, 'warn')], options.width);
  const settled = nodes.length > 0 && nodes.every(isSettled);
  return spread(left, options.hint === undefined || settled ? [] : [span(options.hint, 'dim')], options.width);
}
