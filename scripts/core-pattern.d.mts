export function writeCoresBesideTheProgram(): () => void;
