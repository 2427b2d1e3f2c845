import { webConsole } from 'offshoot/console';
import { serve } from 'offshoot/worker';
import { billing, desk, orders } from './agents';

export { OffshootAgent, OffshootDirectory } from 'offshoot/worker';
export default serve([desk, orders, billing], { doors: [webConsole()] });
