/** The settings of a model as a table. */
import type { Document } from '../../client';

/** The settings of a model. */
export function Settings({ settings }: { readonly settings: Document<'limits'>['settings'] }) {
  const all = Object.entries(settings);
  return (
    <table className="facts">
      <thead>
        <tr>
          <th>Model setting</th>
          <th>Value</th>
        </tr>
      </thead>
      <tbody>
        {all.length === 0 && (
          <tr>
            <td colSpan={2}>The provider’s defaults</td>
          </tr>
        )}
        {all.map(([name, value]) => (
          <tr key={name}>
            <th>{name}</th>
            <td>{settingInWords(value)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** The value of a setting; a list of names, or of texts, on one line. */
function settingInWords(value: unknown): string {
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
