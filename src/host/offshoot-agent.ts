/** The one class that an app exports for agents without a class of their own. Keeps OC1. */
import { SHARED_CLASS } from '../core/ports/object-names';
import { AgentObject } from './agent-object';

/**
 * The class that agents share. The name of an object determines its agent.
 * @example
 * export { OffshootAgent, OffshootDirectory } from 'offshoot/worker';
 * export default serve([planner, timekeeper]);
 */
export class OffshootAgent extends AgentObject {
  // The name is that of its address: who has a socket there knows it.
  static override options = { sendIdentityOnConnect: true };

  static {
    Object.defineProperty(OffshootAgent, 'name', { value: SHARED_CLASS });
  }
}
