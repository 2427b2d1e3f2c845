import { webConsole } from 'offshoot/console';
import { serve } from 'offshoot/worker';
import { planner } from './planner';

export { OffshootAgent, OffshootDirectory } from 'offshoot/worker';
export default serve([planner], { doors: [webConsole()] });
