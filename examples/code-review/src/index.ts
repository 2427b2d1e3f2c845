import { webConsole } from 'offshoot/console';
import { serve } from 'offshoot/worker';
import { checker, review } from './agents';

export { OffshootAgent, OffshootDirectory } from 'offshoot/worker';
export default serve([review, checker], { doors: [webConsole()] });
