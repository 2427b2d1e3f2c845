/** What agents of the tests' Worker have of each capability. */
import type { AgentDefinition, ToolDefinition } from '../../src/index';
import { scheduling } from './effects/worker-parts';

interface WorkerParts {
  readonly tools?: readonly ToolDefinition[];
  readonly effects?: AgentDefinition['effects'];
}

const PARTS: readonly WorkerParts[] = [scheduling];

export const toolsOfCapabilities = PARTS.flatMap(({ tools = [] }) => tools);
export const effectsOfCapabilities = PARTS.flatMap(({ effects = [] }) => effects);
