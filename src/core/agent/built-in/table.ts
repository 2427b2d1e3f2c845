/**
 * The tools of the framework, one row each. A further one is a file beside this and a line here.
 *
 * Decides: which tools the framework has.
 * Keeps BT3.
 */
import type { BuiltInTool } from '../rules';
import { attach } from './attach';
import { getChildStatus, listChildren } from './companions/list';
import { sendMessage } from './companions/send';
import { spawnAgent } from './companions/spawn';
import { stopChild, terminateChild } from './companions/terminate';
import { waitForResult } from './companions/wait';
import { finish } from './finish';
import { readOthers } from './read';
import { createSubagent } from './subagents/create';
import { subagents } from './subagents/list';
import { messageSubagent } from './subagents/message';
import { terminateSubagent } from './subagents/terminate';
import { workspaceTools } from './workspace';

/** All of them. */
export const BUILT_IN_TOOLS: readonly BuiltInTool[] = [
  finish,
  attach,
  readOthers,
  spawnAgent,
  sendMessage,
  listChildren,
  getChildStatus,
  waitForResult,
  stopChild,
  terminateChild,
  createSubagent,
  messageSubagent,
  terminateSubagent,
  subagents,
  ...workspaceTools,
];
