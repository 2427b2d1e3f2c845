import { webConsole } from 'offshoot/console';
import { serve } from 'offshoot/worker';
import { triage } from './agents';

export { OffshootAgent, OffshootDirectory } from 'offshoot/worker';
export default serve([triage], { doors: [webConsole()] });
