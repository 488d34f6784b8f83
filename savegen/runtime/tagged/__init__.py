"""Tagged values: plain data that says itself what it is.

What does not fit its field, and what no field declares, is kept in this form. nil, bool, int,
float, str and bytes stand for themselves; everything else is an array `[tag, payload]`. The
tags are those of `Tag`; "text" is a str, or tag 2 if it cannot be encoded:

===  ============  ==============================================================================
tag  what          payload
===  ============  ==============================================================================
 0   ABSENT        nil: an attribute that is not set
 1   INT           bytes, big-endian, two's complement: an int beyond 64 bits
 2   STR           bytes: UTF-8 in which lone surrogates are encoded like other characters
 3   LIST          members
 4   TUPLE         members
 5   SET           members, in the order of their encoded bytes
 6   FROZENSET     members, in the order of their encoded bytes
 7   DICT          key, value, key, value, …
 8   DEFAULTDICT   name of the factory or nil, key, value, …
 9   ORDEREDDICT   key, value, …
10   COUNTER       key, value, …
11   DEQUE         maxlen or nil, members
12   COMPLEX       the cell of a `complex` (see `savegen.runtime.stored`), and so on:
13   DECIMAL
14   FRACTION
15   DATE
16   TIME          text
17   DATETIME      text
18   TIMEDELTA
19   UUID
20   PATH          text, always with its flavour
21   BYTEARRAY
22   ARRAY
23   NDARRAY
24   NUMPY
25   KEY           a reference
26   WEAK          a weak reference; 0 if what it led to is gone
27   CLASS         number of a saveable class
28   PREFAB        number of a prefab
29   ASSET         text: its id
30   GENERATOR     key of a random generator
31   ENUM          full name of the class, name of the member
32   FLAG          full name of the class, the cell of a `flag`
33   RECORD        full name of the class, then number, name and value of each field
34   FOREIGN       full name of the class, what its codec stores, tagged
===  ============  ==============================================================================

Everything comes back as exactly what it was. Two names of one list come back as two lists.
"""

from __future__ import annotations

from savegen.runtime.tagged._describe import describe as describe
from savegen.runtime.tagged._forms import ABSENT as ABSENT
from savegen.runtime.tagged._forms import Lost as Lost
from savegen.runtime.tagged._forms import Opaque as Opaque
from savegen.runtime.tagged._forms import Tag as Tag
from savegen.runtime.tagged._forms import Tagged as Tagged
from savegen.runtime.tagged._forms import is_absent as is_absent
from savegen.runtime.tagged._keys import keys_of as keys_of
from savegen.runtime.tagged._keys import replace_keys as replace_keys
from savegen.runtime.tagged._tag import tag as tag
from savegen.runtime.tagged._untag import untag as untag
from savegen.runtime.tagged._untag import untag_plain as untag_plain
