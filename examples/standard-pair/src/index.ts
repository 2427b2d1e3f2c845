import { webConsole } from 'offshoot/console';
import { serve } from 'offshoot/worker';
import { pair } from './agents';

export { OffshootAgent, OffshootDirectory } from 'offshoot/worker';
export default serve([pair], { doors: [webConsole()] });
