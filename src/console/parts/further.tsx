/** Parts of a reply beside text, thinking and calls: tools that the provider ran, files and sources. */
import { Link } from 'wouter';
import type { ProviderToolView, ReplyFileView, SourceView } from '../../client';
import { BASE, pathOf } from '../data/place';
import { tokenNow } from '../data/session';
import { JsonView } from './json';
import { OuterLink } from './markdown';

interface ToolProps {
  readonly tool: ProviderToolView;
  readonly isOpen: boolean;
  readonly onOpen: (open: boolean) => void;
}

/** A tool that the provider of the model ran. Nobody approves or answers it. */
export function ProviderTool({ tool, isOpen, onOpen }: ToolProps) {
  const { toolName, arguments: given, outcome } = tool;
  const status = outcome === undefined ? 'in progress' : outcome.success ? 'succeeded' : 'failed';
  return (
    <section className="thinking" aria-label={`${toolName}, run by the provider`}>
      <button type="button" className="fold" aria-expanded={isOpen} onClick={() => onOpen(!isOpen)}>
        {toolName} <span className="badge tone-info">run by the provider</span> <span className="muted">{status}</span>
      </button>
      {isOpen && (
        <>
          <JsonView value={given} />
          {outcome !== undefined && <JsonView value={outcome.result} />}
        </>
      )}
    </section>
  );
}

const SHOWN: readonly string[] = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'];

/** A file that the model made. A picture is shown where the browser may ask for it by itself. */
export function MadeFile({ file, address }: { file: ReplyFileView; address: string }) {
  if ('omitted' in file)
    return (
      <p className="muted">
        A file ({file.mediaType}) was not stored: {file.omitted}
      </p>
    );
  if ('url' in file)
    return (
      <p>
        <OuterLink href={file.url}>File ({file.mediaType})</OuterLink>
      </p>
    );
  const { path, mediaType } = file;
  const shown = SHOWN.includes(mediaType) && tokenNow() === undefined;
  return (
    <figure className="made-file">
      {shown && <img src={`${BASE}${address}/files/${encodeURIComponent(path)}`} alt={path} loading="lazy" />}
      <figcaption>
        <Link href={`${pathOf(address)}/files/${encodeURIComponent(path)}`}>{path}</Link>{' '}
        <span className="muted">{mediaType}</span>
      </figcaption>
    </figure>
  );
}

/** The pages and documents that a reply refers to. */
export function Sources({ sources }: { sources: readonly SourceView[] }) {
  return (
    <section className="sources" aria-label="Sources">
      <h3>sources</h3>
      <ol>
        {sources.map((source) => (
          <li key={`${source.part}`}>
            {source.sourceType === 'url' ? (
              <OuterLink href={source.url}>{source.title ?? source.url}</OuterLink>
            ) : (
              `${source.title ?? source.filename ?? 'Document'} (${source.mediaType})`
            )}
          </li>
        ))}
      </ol>
    </section>
  );
}
