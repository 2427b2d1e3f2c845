/** The shipped Worker: the research desk. What it is made of is decided elsewhere. */
import { defineDesk } from './desk/agents';
import { Library } from './desk/library';
import { AgentObject, createWorker, defaultModel, describeModel, OffshootDirectory, OffshootRpc } from './index';

const { coordinator, researcher, factChecker } = defineDesk({ model: defaultModel });

/** Answers a question with a report. */
export class Coordinator extends AgentObject.of(coordinator) {}

/** Answers a sub-question from the library. */
export class Researcher extends AgentObject.of(researcher) {}

/** Verifies quotations. */
export class FactChecker extends AgentObject.of(factChecker) {}

export { Library, OffshootDirectory, OffshootRpc };

export default createWorker({ agents: [Coordinator, Researcher, FactChecker], describeModel });
