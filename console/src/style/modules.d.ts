/** A file of CSS whose classes are local to it: their names by those that the file uses. */
declare module '*.module.css' {
  const classes: Readonly<Record<string, string>>
  export default classes
}
