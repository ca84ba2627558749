export function shareProcessorsAlike(): () => void;
