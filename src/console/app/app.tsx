/** The console: what all of its views stand in. */
import { CSPProvider } from '@base-ui/react/csp-provider';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { Refused } from '../../client';
import { Frame } from './frame';

const queries = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 0,
      // A server on this machine answers without a network.
      networkMode: 'always',
      // What was refused is refused again.
      retry: (failures, error) => failures < 1 && !(error instanceof Refused),
    },
    mutations: { networkMode: 'always' },
  },
});

/** The console. */
export function App() {
  return (
    <CSPProvider disableStyleElements>
      <QueryClientProvider client={queries}>
        <Frame />
      </QueryClientProvider>
    </CSPProvider>
  );
}
