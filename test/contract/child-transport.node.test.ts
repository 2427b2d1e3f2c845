/** Children in one process, as the test runtime has them, keep to the contract of every placement. */
import { World } from '../../src/testing/world';
import { ScriptedPort } from '../support/scripted-port';
import { agentOf } from '../support/trees';
import { VirtualTime } from '../support/virtual-time';
import { answerAsChild, childTransportContract, facetAt } from './child-transport';

const PARENT = '/agents/top/one';

childTransportContract('objects of one process', async (body) => {
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
      transport: transports.facet,
      child: (place, generation) => facetAt(PARENT, 'Leaf', place, generation),
      impossible: facetAt(PARENT, 'Nobody', 1),
    });
  } finally {
    world.close();
  }
});
