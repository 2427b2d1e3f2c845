import { webConsole } from 'offshoot/console';
import { serve } from 'offshoot/worker';
import { editor, searcher } from './agents';

export { OffshootAgent, OffshootDirectory } from 'offshoot/worker';
export default serve([editor, searcher], { doors: [webConsole()] });
