/** From what a definition calls its model to a port. */
import type { AgentDefinition } from '../core/definition/definition';
import type { ModelPort } from '../core/definition/model-port';
import { modelPort } from './adapter';

/** The port of a definition's model: the model itself where it is a port, else an adapter over it. */
export function portOf(model: AgentDefinition['model'], env: unknown): ModelPort {
  return isPort(model) ? model : modelPort(model, env);
}

function isPort(model: AgentDefinition['model']): model is Extract<AgentDefinition['model'], ModelPort> {
  return typeof model === 'object' && 'call' in model;
}
