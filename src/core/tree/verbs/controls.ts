/**
 * The controls of an agent of a tree: each verb is followed along its route, with what each of those would answer who are
 * asked there.
 *
 * Keeps A82.
 */

import { type Failure, failure } from '../../../protocol/errors';
import type { Control, Controls } from '../../../protocol/shown/controls';
import { type ControlsOver, nothingToStop, type OwnControls } from '../../agent/controls';
import { type ChildNode, isHalted, isLive, isWaitedFor, type TreeNode } from '../node';
import type { TreeIndex } from '../tree-index';
import { answerOfParent, GONE } from './by-parent';
import { type Route, type RoutedVerb, routeOf } from './route';
import { whyUnbegun } from './unbegun';

/** Agents that were interrupted somewhere below one that works or waits, each under a parent that still waits for it. */
export function interruptedBelow(tree: TreeIndex, node: TreeNode): ChildNode[] {
  return tree.subtree(node.id).filter((below): below is ChildNode => {
    if (below.kind === 'root' || below.id === node.id || !tree.hasOpenTask(below)) return false;
    const parent = tree.parentOf(below);
    return isHalted(below) && parent !== undefined && isLive(parent);
  });
}

/** The refusal of a resume where nothing was interrupted below an agent that waits. */
export function waitsForPerson(tree: TreeIndex, node: TreeNode): Failure {
  const hasFailed = tree
    .subtree(node.id)
    .some((below) => below.id !== node.id && isWaitedFor(below) && tree.hasOpenTask(below));
  const advice = hasFailed ? ', and retry or abort the sub-agents that failed' : '';
  return failure('awaiting_input', `The run waits for a person: answer the pending calls${advice}.`);
}

/** The answers of those who are asked about an agent. */
export interface Answers {
  /** Its own; missing where it has not begun. */
  readonly own?: OwnControls | undefined;
  /** Those of its parent. */
  readonly over?: ControlsOver | undefined;
  /** Whether those that were interrupted further below can continue; missing where nobody has to ask (`asksFor`). */
  readonly below?: Control | undefined;
  /** Whether something waits for a person at or below it. */
  readonly waits: boolean;
  /** The answer of the capability for `fork` by its place. */
  readonly fork: Control;
}

const ROUTED: readonly RoutedVerb[] = [
  ...(['start', 'send', 'interrupt', 'abort', 'terminate', 'resume', 'retry', 'fork'] as const),
];

/** The controls of an agent that has not begun. */
function unbegun(node: TreeNode): OwnControls {
  const why = whyUnbegun(node);
  return { start: why, send: why, interrupt: why, abort: why, terminate: why, resume: why, retry: why };
}

/** What is legal now. */
export function controlsOf(tree: TreeIndex, node: TreeNode, answers: Answers): Controls {
  const { own = unbegun(node), over = GONE, below, waits, fork } = answers;
  const follow = (verb: RoutedVerb, route: Route): Control => {
    switch (route.to) {
      case 'agent': {
        const said = verb === 'fork' ? fork : own[verb];
        if (said === true) return route.next ? follow(verb, route.next) : true;
        const next = routeOf(tree, node, verb, { why: said, isReported: true });
        return next.to === 'record' ? (below ?? said) : follow(verb, next);
      }
      case 'parent': {
        const said = answerOfParent(tree, node, { ask: route.ask, said: over[route.ask] });
        const isOver = route.ask === 'giveUp' && said !== true && said.code === 'superseded';
        if (route.next && (said === true || isOver)) return follow(verb, route.next);
        return isOver ? nothingToStop() : said;
      }
      case 'record':
        return nothingToStop();
      case 'report':
        return failure('unavailable');
      case 'nobody':
        return route.why;
    }
  };
  const shown = (verb: RoutedVerb): Control => follow(verb, routeOf(tree, node, verb));
  return {
    ...{ start: shown('start'), send: shown('send'), resume: shown('resume'), retry: shown('retry') },
    ...{ interrupt: shown('interrupt'), abort: shown('abort'), terminate: shown('terminate'), fork: shown('fork') },
    submit: waits || failure('unknown_tool_call', 'No call is pending at or below this agent.'),
    remove: true,
  };
}

/** Those beside an agent itself whose answers its controls depend on: its parent, and those that were interrupted below. */
export function asksFor(
  tree: TreeIndex,
  node: TreeNode,
  own: OwnControls = unbegun(node),
): { readonly parent: boolean; readonly below: boolean } {
  const routes = ROUTED.flatMap((verb): readonly Route[] => {
    const route = routeOf(tree, node, verb);
    const said = route.to !== 'agent' || verb === 'fork' || own[verb];
    return said === true ? [route] : [route, routeOf(tree, node, verb, { why: said, isReported: true })];
  });
  const asksParent = (route: Route): boolean =>
    route.to === 'parent' || (route.to === 'agent' && route.next !== undefined && asksParent(route.next));
  return {
    parent: routes.some(asksParent),
    below: routes.some((route) => route.to === 'record' && route.does === 'resume_below'),
  };
}
