import { serve } from 'offshoot/worker';
import { researcher } from './researcher';

export { OffshootAgent, OffshootDirectory, OffshootRpc } from 'offshoot/worker';
export default serve([researcher]);
