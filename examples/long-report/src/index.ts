import { webConsole } from 'offshoot/console';
import { serve } from 'offshoot/worker';
import { reporter } from './agents';

export { OffshootAgent, OffshootDirectory } from 'offshoot/worker';
export default serve([reporter], { doors: [webConsole()] });
