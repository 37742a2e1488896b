from policies.prompt_files import *
