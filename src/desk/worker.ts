/** The shipped Worker: the research desk. What it is made of is decided elsewhere. */
import { agui } from '../agui';
import { chat } from '../chat';
import { webConsole } from '../console';
import { modelFromEnv } from '../index';
import { MODEL_PROVIDERS } from '../models';
import { OffshootAgent, OffshootDirectory, OffshootRpc, serve } from '../worker';
import { defineDesk } from './agents';
import { Library } from './library';
import { offlineModel } from './offline-model';

const model = modelFromEnv(MODEL_PROVIDERS, { otherwise: offlineModel });
const { coordinator, critic, researcher, factChecker, writer } = defineDesk({ model });

export { Library, OffshootAgent, OffshootDirectory, OffshootRpc };

export default serve([coordinator, researcher, factChecker, critic, writer], {
  describeModel: model.describe,
  doors: [webConsole({ docs: true }), chat(), agui()],
});
