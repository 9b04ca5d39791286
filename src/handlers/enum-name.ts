/**
 * The number of an enum's value by its whole name, such as `WORKFLOW_RUN_STATUS_FAILED`, as stored documents spell it.
 * A name that this build does not know is the zero value.
 */
export function enumValueFrom<Value extends number>(
  values: Readonly<Record<string, Value | string>>,
  prefix: string,
  name: string,
): Value | 0 {
  const value = values[name.slice(prefix.length)]
  return typeof value === 'number' ? value : 0
}
