/** The shipped Worker: the research desk. What it is made of is decided elsewhere. */
import { modelFromEnv } from '../index';
import { MODEL_PROVIDERS } from '../models';
import { AgentObject, createWorker, OffshootDirectory, OffshootRpc } from '../worker';
import { defineDesk } from './agents';
import { Library } from './library';
import { offlineModel } from './offline-model';

const model = modelFromEnv(MODEL_PROVIDERS, { otherwise: offlineModel });
const { coordinator, critic, researcher, factChecker, writer } = defineDesk({ model });

/** Answers a question with a report. */
export class Coordinator extends AgentObject.of(coordinator) {}

/** Answers a sub-question from the library. */
export class Researcher extends AgentObject.of(researcher) {}

/** Verifies quotations. */
export class FactChecker extends AgentObject.of(factChecker) {}

/** Judges drafts. */
export class Critic extends AgentObject.of(critic) {}

/** Writes texts and reviews them. */
export class Writer extends AgentObject.of(writer) {}

export { Library, OffshootDirectory, OffshootRpc };

export default createWorker({
  agents: [Coordinator, Researcher, FactChecker, Critic, Writer],
  describeModel: model.describe,
  console: true,
});
