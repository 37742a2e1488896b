from policies.numerals import *
