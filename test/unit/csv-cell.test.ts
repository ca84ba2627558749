import assert from 'node:assert/strict';
import { csvCell } from '../../plugin-api/answers/csv/csv-cell';

describe('a cell of CSV', () => {
  it('sends nothing to a terminal that it would obey', () => {
    assert.equal(csvCell('a\u001b[31m\u009b\u202e'), 'a\\u001b[31m\\u009b\\u202e');
    assert.equal(csvCell('a,"b"\n'), '"a,""b""\n"');
  });

  it('is no formula, whatever is before it', () => {
    for (const text of ['=1', '+1', '-1', '@a', '\t=1', ' =1']) assert.equal(csvCell(text), `'${text}`);
    assert.equal(csvCell('\r=1'), "'\\u000d=1");
  });
});
