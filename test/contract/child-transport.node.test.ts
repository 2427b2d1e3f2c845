/** Children in one process, as the test runtime has them, keep to the contract of every placement. */
import { World } from '../../src/testing/world';
import { ScriptedPort } from '../support/scripted-port';
import { agentOf } from '../support/trees';
import { VirtualTime } from '../support/virtual-time';
import { answerAsChild, childTransportContract, facetAt, objectAt } from './child-transport';

const PARENT = '/agents/top/one';

for (const [name, via, at] of [
  ['facets of one process', 'facet', facetAt],
  ['objects of one process', 'object', objectAt],
] as const)
  childTransportContract(name, async (body) => {
    const { environment } = new VirtualTime({ committed: () => undefined });
    const world = new World({
      agents: [agentOf('top'), agentOf('leaf')],
      environment,
      model: () => new ScriptedPort({}),
      verb: answerAsChild,
    });
    try {
      const { transports } = world.object(PARENT).ports;
      await body({
        transport: transports[via],
        child: (place, generation) => at(PARENT, 'Leaf', place, generation),
        impossible: at(PARENT, 'Nobody', 1),
        copies: via === 'facet',
      });
    } finally {
      world.close();
    }
  });
