/** How an agent stands: a glyph of its own shape and the word, so that colour says nothing alone. Words and tones are in `words.ts`. */
import {
  Circle,
  CircleCheck,
  CircleDashed,
  CirclePause,
  CircleQuestionMark,
  CircleX,
  Hourglass,
  LoaderCircle,
  type LucideIcon,
  MessageCircleQuestionMark,
  OctagonX,
} from 'lucide-react';
import { said } from './words';

const ICONS = new Map<string, LucideIcon>([
  ['idle', Circle],
  ['queued', CircleDashed],
  ['running', LoaderCircle],
  ['suspended_client_tool', CircleQuestionMark],
  ['suspended_step_partial', MessageCircleQuestionMark],
  ['suspended_awaiting_children', Hourglass],
  ['interrupted', CirclePause],
  ['completed', CircleCheck],
  ['failed', CircleX],
  ['terminated', OctagonX],
]);

/** The glyph, with its word for who does not see it. */
export function Glyph({ status }: { status: string }) {
  const Icon = ICONS.get(status) ?? Circle;
  const { says, tone } = said(status);
  return (
    <span className={`glyph tone-${tone}`} role="img" aria-label={says} title={says}>
      <Icon size={16} className={status === 'running' ? 'turns' : undefined} aria-hidden />
    </span>
  );
}

/** The glyph and the word. */
export function Status({ status }: { status: string }) {
  const { says, tone } = said(status);
  const Icon = ICONS.get(status) ?? Circle;
  return (
    <span className={`status tone-${tone}`}>
      <Icon size={16} className={status === 'running' ? 'turns' : undefined} aria-hidden />
      {says}
    </span>
  );
}
