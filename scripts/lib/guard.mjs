// Loaded into the server's process by serve.mjs: when whoever started the server dies without stopping it,
// the server ends too, with everything below it. Nothing is ever left behind on a port.
import { isMainThread } from 'node:worker_threads';
import { killAll, processTree } from './processes.mjs';

if (isMainThread && process.channel) {
  process.once('disconnect', () => {
    killAll(processTree(process.pid).filter(({ pid }) => pid !== process.pid));
    process.exit(1);
  });
  // The wait for that must not keep a server alive that is otherwise done.
  process.channel.unref();
}
