/** What went wrong, so that a person can do something about it. */
import { Refused } from '../../client';

/** Title, detail, code and request id of a refusal; the words of anything else. `onRetry`: what asks once more. */
export function Trouble({ error, onRetry }: { error: Error; onRetry?: () => void }) {
  return (
    <p className="trouble" role="alert">
      {error instanceof Refused ? (
        <>
          <strong>{error.title}</strong> {error.detail} <code>{error.code}</code>{' '}
          {error.requestId !== '' && <small>request {error.requestId}</small>}
        </>
      ) : (
        error.message
      )}
      {onRetry !== undefined && (
        <>
          {' '}
          <button type="button" onClick={onRetry}>
            Try again
          </button>
        </>
      )}
    </p>
  );
}
