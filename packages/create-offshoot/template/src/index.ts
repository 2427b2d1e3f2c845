import { webConsole } from 'offshoot/console';
import { serve } from 'offshoot/worker';
import { planner, timekeeper } from './agents';

export { OffshootAgent, OffshootDirectory } from 'offshoot/worker';
export default serve([planner, timekeeper], { doors: [webConsole()] });
